/** The one way in which heddle starts a process: marked, with what it leaves behind adopted, and no secret of ours in sight. */
import * as Effect from "effect/Effect"
import * as OwnSecrets from "../OwnSecrets.ts"
import type { Child, SpawnOptions } from "../spawn/Child.ts"
import * as Spawn from "../spawn/Spawn.ts"
import * as Guardian from "./Guardian.ts"
import * as Marks from "./Marks.ts"
import * as Orphans from "./Orphans.ts"

/** Fails with what the engine throws. */
export const start = (options: SpawnOptions): Effect.Effect<Child, unknown> =>
  Effect.suspend(() => {
    OwnSecrets.hide()
    Orphans.adopt()
    const guarded = options.mark === Marks.ofOthers ? Effect.void : Guardian.ensure(Orphans.watch)
    return Effect.tap(Effect.zipRight(guarded, Spawn.spawn(options)), (child) =>
      Effect.sync(() => Orphans.watch(child))
    )
  })
