/** The folders that rules and risks speak of, without links. */
import * as Effect from "effect/Effect"
import type { Places } from "../../../../domain/approvals/Subject.ts"
import type { Conditions } from "../../../../services/Approvals.ts"
import * as LocalPaths from "../../../machine/files/LocalPaths.ts"

const load = Effect.promise(() => import("../../../../domain/approvals/Subject.ts"))

/** Where a path leads, links followed. */
export type Resolve = (path: string) => Effect.Effect<string, unknown>

/** Read once for each folder that a session works in. */
export const make = (resolve: Resolve, { agentDir, hidden = [], sessionsDir }: Conditions) => {
  const known = new Map<string, Places>()
  const real = (path: string) => Effect.orElseSucceed(resolve(path), () => path)

  const read = Effect.fnUntraced(function* (folder: string) {
    const { hiddenOf } = yield* load
    const cwd = yield* real(LocalPaths.resolve(folder))
    const home = yield* real(LocalPaths.home())
    const own = yield* real(agentDir ?? LocalPaths.join(home, ".heddle"))
    const sessions = yield* real(sessionsDir ?? LocalPaths.join(own, "sessions"))
    const more = hidden.map((path) => LocalPaths.absolute(cwd, path))
    const listed = hiddenOf({ home, agentDir: own, sessionsDir: sessions, more })
    const places: Places = {
      cwd,
      home,
      workspace: cwd,
      // What they lead to is hidden, too.
      hidden: [...new Set([...listed, ...(yield* Effect.forEach(listed, real))])],
      settings: [own, ...[".heddle", ".pi"].map((name) => LocalPaths.join(cwd, name))]
    }
    known.set(folder, places)
    return places
  })

  return (folder: string) =>
    Effect.suspend(() => {
      const places = known.get(folder)
      return places === undefined ? read(folder) : Effect.succeed(places)
    })
}
