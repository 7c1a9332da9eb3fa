/**
 * Marks that say which command a process comes from. Each is a number that the processes of the command have as their
 * soft limit on file locks: Linux enforces no such limit, every descendant inherits it, and neither a new session, a double
 * fork nor a cleared environment takes it away. 18 digits: 9 for this process, 4 for the tree, 5 for the command.
 */
import * as Engine from "../../engine/Engine.ts"
import * as LibC from "./LibC.ts"
import * as ProcFiles from "./ProcFiles.ts"

export const ofProcess = String(100_000_000 + ((crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) % 900_000_000))

/** Of programs that run for their output. Trees have the numbers above. */
export const ofPrograms = `${ofProcess}100000000`

/** Of processes that are only reaped, never ended: what a user's own helper program leaves running. */
export const ofOthers = `${ofProcess}000000000`

const firstTree = 1001
const lastTree = 9999
let trees = 0

/** Numbers come again after 9 thousand trees and 100 thousand commands. */
export const forTree = (): string => `${ofProcess}${firstTree + (trees++ % (lastTree - firstTree + 1))}`

export const forCommand = (tree: string, count: number): string => `${tree}${String(count % 100_000).padStart(5, "0")}`

/** What the limit was before, and is again between two commands: heddle may itself run below another heddle. */
let before: bigint | null | undefined

const limitBefore = (): bigint | null => (before === undefined ? (before = LibC.fileLockLimit() ?? null) : before)

/** Undefined until the first question. */
let isShown: boolean | undefined

/** Whether processes bear marks here and /proc shows them. Some sandboxes know no such limit. */
export const isEffective = (): boolean =>
  (!Engine.isBun || limitBefore() !== null) && (isShown ??= ProcFiles.fileLockLimit(process.pid) !== undefined)

/** What `spawn` starts bears the mark; on Node a shell sets the limit (NodeSpawn.ts). Nothing else can start a process meanwhile, except for another thread. */
export const put = <A>(mark: string, spawn: () => A): A => {
  const own = limitBefore()
  if (own === null || !LibC.setFileLockLimit(BigInt(mark))) {
    before = null
    return spawn()
  }
  try {
    return spawn()
  } finally {
    LibC.setFileLockLimit(own)
  }
}
