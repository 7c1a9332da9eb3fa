/** The supervision tree of one session. What ends nodes is loaded when somebody first asks for an end. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Ids } from "../../../services/Ids.ts"
import { makeRoot, type Supervision } from "../../../services/supervision/Supervision.ts"
import * as Once from "../../Once.ts"

export const make = Effect.zipWith(Clock.currentTimeMillis, Ids, (now, ids): Supervision => {
  const root = makeRoot({ kind: "session", label: "session" }, now, () => ids.next("fiber"))
  const loaded = Once.make(Effect.promise(() => import("./EndNode.ts")))
  return {
    root,
    cancel: (targetId, graceMs) => Effect.flatMap(loaded, ({ cancel }) => cancel(root, targetId, graceMs))
  }
})
