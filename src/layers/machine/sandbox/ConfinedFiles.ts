/**
 * Files as the sandbox lets tools have them. What a path leads to is taken hold of first, then judged by where it is, then used:
 * a link that is put into the way in between leads nowhere else.
 */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { FileError, Files, type OpenFile } from "../../../services/machine/Files.ts"
import type { Place, Report } from "../../../services/machine/Sandbox.ts"
import * as Anchors from "../files/Anchors.ts"
import * as LocalPaths from "../files/LocalPaths.ts"
import { type Policy, refusal } from "./Policy.ts"

type Service = typeof Files.Service
type Use = "read" | "write"

export interface Means {
  /** With what the last command has left. */
  readonly policy: Effect.Effect<Policy>
  /** Without waiting for that: it makes no difference to who reads. */
  readonly latest: Effect.Effect<Policy>
  readonly place: (policy: Policy, real: string) => Place
  readonly report: Report
}

/** Fails for a place that may not be used so. `path` is what the caller has asked for. */
const admitted = ({ latest, place, policy, report }: Means) =>
  Effect.fnUntraced(function* (path: string, real: string, use: Use) {
    const inForce = yield* use === "read" ? latest : policy
    const description = refusal(inForce, real, place(inForce, real), use)
    if (description === undefined) return
    return yield* new FileError({ path, reason: "refused", description, details: { sandbox: { ...report } } })
  })

const named =
  (path: string) =>
  <A, R>(effect: Effect.Effect<A, FileError, R>): Effect.Effect<A, FileError, R> =>
    Effect.mapError(effect, (error) => (error.details === undefined ? new FileError({ ...error, path }) : error))

const renamed = (file: OpenFile, path: string, real: string): OpenFile => ({
  path,
  size: file.size,
  version: file.version,
  realPath: Effect.succeed(real),
  read: (position) => named(path)(file.read(position)),
  readFirst: (length) => named(path)(file.readFirst(length))
})

export const make = (inner: Service, means: Means): Service => {
  const admit = admitted(means)
  const held = <A, R>(path: string, use: (anchor: Anchors.Anchor) => Effect.Effect<A, FileError, R>) =>
    Effect.scoped(
      Effect.flatMap(Anchors.at(path), (anchor) =>
        Effect.zipRight(admit(path, anchor.real, "read"), named(path)(use(anchor)))
      )
    )
  /** By the folder that the file is in; the file need not exist. */
  const heldAbove = <A>(path: string, use: (at: string, real: string) => Effect.Effect<A, FileError>) =>
    Effect.scoped(
      Effect.flatMap(Anchors.at(LocalPaths.dirname(path)), (folder) => {
        const name = LocalPaths.basename(path)
        const real = LocalPaths.join(folder.real, name)
        return Effect.zipRight(admit(path, real, "write"), named(path)(use(LocalPaths.join(folder.path, name), real)))
      })
    )
  const isFree = (path: string) =>
    Effect.as(
      Effect.flatMap(inner.resolve(path), (real) => admit(path, real, "write")),
      { path, version: undefined, owner: undefined }
    )
  return Files.of({
    open: (path) =>
      Effect.flatMap(Effect.scope, (scope) =>
        held(path, (anchor) =>
          Effect.map(Scope.extend(inner.open(anchor.path), scope), (file) => renamed(file, path, anchor.real))
        )
      ),
    entries: (path) => held(path, (anchor) => inner.entries(anchor.path)),
    isDirectory: (path) =>
      Effect.orElseSucceed(
        held(path, (anchor) => inner.isDirectory(anchor.path)),
        () => false
      ),
    realPath: (path) => held(path, (anchor) => Effect.succeed(anchor.real)),
    resolve: (path) => Effect.tap(inner.resolve(path), (real) => admit(path, real, "write")),
    inspect: (path) =>
      Effect.catchIf(
        heldAbove(path, (at) => Effect.map(inner.inspect(at), (target) => ({ ...target, path }))),
        ({ reason }) => reason === "not_found",
        () => isFree(path)
      ),
    makeParents: (path) => Anchors.makeFolder(LocalPaths.dirname(path), (real) => admit(path, real, "write")),
    replace: (target, bytes, onReplaced) =>
      heldAbove(target.path, (at) => inner.replace({ ...target, path: at }, bytes, onReplaced)),
    sharedWithPrograms: false
  })
}
