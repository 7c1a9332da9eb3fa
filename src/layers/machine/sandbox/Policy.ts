/** What a sandbox lets programs and file tools see and change, and where a path stands in it. Pure. */
import type { Place, SandboxMode } from "../../../services/machine/Sandbox.ts"

/** All paths are without links. */
export interface Policy {
  readonly mode: SandboxMode
  readonly network: "open" | "off"
  /** The working folder, or the worktree that stands in for it. */
  readonly workspace: string
  /** Empty in the mode `read-only`. */
  readonly writable: ReadonlyArray<string>
  /** Read-only parts of the writable folders. */
  readonly kept: ReadonlyArray<string>
  /** Where nothing is, and nothing may come to be. */
  readonly absent: ReadonlyArray<string>
  readonly hidden: ReadonlyArray<Hidden>
  /** Size of each private temporary folder. */
  readonly tmpBytes: number
}

export interface Hidden {
  readonly path: string
  readonly isFolder: boolean
}

/** Folders that every command has for itself, and file tools not at all. */
export const temporary = ["/tmp", "/var/tmp", "/dev/shm"]

/** What the kernel and services of the machine show about other processes, and their sockets. */
const ofOthers = ["/run", "/proc"]

export const isIn = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`)

/** Names that are read-only wherever they are in a writable folder: git and heddle run or load what is in them. */
const guardedNames = new Set([".git", ".heddle", ".pi"])

/** Whether every command has something else there than the machine. */
export const isPrivate = (path: string): boolean => [...temporary, ...ofOthers].some((folder) => isIn(folder, path))

const isGuarded = (root: string, path: string) =>
  path
    .slice(root.length)
    .split("/")
    .some((name) => guardedNames.has(name.toLowerCase()))

/** Of a path without links. */
export const place = (policy: Policy, path: string): Place => {
  const { absent, hidden, kept, workspace, writable } = policy
  if (hidden.some((one) => isIn(one.path, path))) return "invisible"
  const root = writable.find((folder) => isIn(folder, path))
  if (root === undefined) {
    const isShown = isPrivate(workspace) && isIn(workspace, path)
    return isPrivate(path) && !isShown ? "invisible" : "read-only"
  }
  const isKept = [...kept, ...absent].some((one) => isIn(one, path))
  return isKept || isGuarded(root, path) ? "protected" : "writable"
}

const listed = (folders: ReadonlyArray<string>) =>
  folders.length === 0 ? "nothing but its private /tmp" : `${folders.join(", ")} and its private /tmp`

/** The beginning of every sentence about what was refused. */
export const says = (mode: SandboxMode): string => `Sandbox (${mode}):`

/** Why a file tool is refused a path; undefined where it is not. */
export const refusal = (policy: Policy, path: string, place: Place, use: "read" | "write"): string | undefined => {
  const begin = `${says(policy.mode)} ${path}`
  if (place === "invisible") return `${begin} cannot be seen in the sandbox. The user can do what needs it.`
  if (use === "read" || place === "writable") return undefined
  if (place === "protected") return `${begin} is read-only: git or heddle run what is written there.`
  const where =
    policy.writable.length === 0
      ? "nothing can be written in this mode"
      : `only ${policy.writable.join(", ")} can be written`
  return `${begin} is read-only: ${where}. The user can allow more with --sandbox or the setting sandbox.writable.`
}

export { listed as writableWords }
