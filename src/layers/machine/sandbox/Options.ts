/** What a sandbox is asked for, and what makes no sense. */
import * as Effect from "effect/Effect"
import { type SandboxMode, SandboxRefused } from "../../../services/machine/Sandbox.ts"
import * as LocalPaths from "../files/LocalPaths.ts"
import * as Host from "./system/Host.ts"
import * as Guard from "./Guard.ts"
import * as Hidden from "./Hidden.ts"
import { isIn, temporary } from "./Policy.ts"

export interface SandboxOptions extends Hidden.Places {
  readonly mode: SandboxMode
  readonly network: "open" | "off"
  readonly writable: ReadonlyArray<string>
  /** Names of variables that commands get whatever they are called. */
  readonly env: ReadonlyArray<string>
  readonly tmpBytes: number
  /** Only a means that holds all that a sandbox can will do; otherwise any, and `outside` says what it does not hold. */
  readonly whole?: boolean
}

/** Without links. */
export interface Folders {
  readonly workspace: string
  /** In the mode `workspace-write` the first is the workspace. */
  readonly writable: ReadonlyArray<string>
}

const refused = (message: string) => new SandboxRefused({ message })

const folder = Effect.fnUntraced(function* (name: string, cwd: string, path: string) {
  const real = Host.real(LocalPaths.absolute(cwd, path))
  if (real === undefined || !Host.isFolder(real)) return yield* refused(`${name}: no such folder: ${path}`)
  return real
})

/** Whoever may write the home folder can change what the user's own programs do. */
const writable = Effect.fnUntraced(function* (name: string, cwd: string, path: string) {
  const real = yield* folder(name, cwd, path)
  const home = Host.real(LocalPaths.home()) ?? LocalPaths.home()
  const isShared = temporary.some((path) => isIn(real, path))
  if (isShared)
    return yield* refused(`${name}: ${real} is or contains a temporary folder, which is private in a sandbox`)
  if (!isIn(real, home)) return real
  return yield* refused(
    `${name}: ${real} is the home folder or contains it, so a sandbox that lets commands write there holds nothing. Start in a folder below it (--cwd), or with --sandbox read-only`
  )
})

export const check = Effect.fnUntraced(function* (options: SandboxOptions) {
  const { cwd, mode } = options
  const workspace = yield* folder("the working folder", cwd, cwd)
  const covering = Hidden.paths(options).find(({ path }) => isIn(path, workspace))
  if (covering !== undefined)
    return yield* refused(`the working folder ${workspace} is in ${covering.path}, which a sandbox makes invisible`)
  if (temporary.includes(workspace))
    return yield* refused(
      `the working folder ${workspace} is the temporary folder of all programs: start in a folder below it`
    )
  if (mode === "read-only") return { workspace, writable: [] } satisfies Folders
  const own = yield* writable("the working folder", cwd, cwd)
  const more = yield* Effect.forEach(options.writable, (path) => writable("sandbox.writable", cwd, path))
  const roots = [...new Set([own, ...more])]
  const problem = yield* Guard.problem(roots)
  if (problem !== undefined) return yield* refused(problem)
  return { workspace, writable: roots } satisfies Folders
})
