/**
 * Processes that lost their parent below this one. On Linux heddle adopts them, so nothing that a command starts can leave
 * the tree under heddle, and reaps them when they have ended, because Bun only knows the children it started.
 */
import { readdirSync } from "node:fs"
import { clearInterval, setInterval } from "../../engine/Primordials.ts"
import * as LibC from "./LibC.ts"
import * as Marks from "./Marks.ts"
import * as ProcFiles from "./ProcFiles.ts"
import * as Process from "../Process.ts"
import type { Child } from "../spawn/Child.ts"

/** The children that Bun or Node has started for us, and reaps. */
const started = new Set<number>()

/** Commands and programs that run now. */
const running = new Set<Child>()

let trees = 0

let adopts: boolean | undefined
let ourSession: number | undefined
let reaper: ReturnType<typeof setInterval> | undefined

/** Milliseconds between two looks for orphans that have ended. */
const reapInterval = 1000

/** Call before the first process is started. In another program, orphans of its own children would pile up with it as zombies. */
export const adopt = (): boolean => (adopts ??= Process.isOurs() && LibC.adoptOrphans())

/** Whether every process that a command has started is below this process. */
export const areAdopted = (): boolean => adopts === true

export const watch = (child: Child): void => {
  started.add(child.pid)
  void child.exited.then(() => started.delete(child.pid))
  if (adopts === true) reaper ??= setInterval(check, reapInterval).unref()
}

/** Until the returned function is called, the child may start processes. */
export const expectFrom = (child: Child): (() => void) => {
  running.add(child)
  return () => void running.delete(child)
}

/** Whether nothing else runs: what was started meanwhile and bears no mark can only come from this child. */
export const isAlone = (child: Child): boolean => running.size === 0 || (running.size === 1 && running.has(child))

export const openTree = (): (() => void) => {
  trees++
  return () => void trees--
}

/** Whether no process runs that could start another one, but the tree that asks. */
export const isLastTree = (): boolean => running.size === 0 && trees === 1

const children = (): ReadonlyArray<number> =>
  ProcFiles.childrenOf(process.pid) ?? readdirSync("/proc").map(Number).filter(Boolean)

/** An adopted child that has taken the mark off. No descendant of a command can come back to our session. */
export const isUnmarked = ({ parent, pid, session }: ProcFiles.Entry): boolean => {
  if (adopts !== true || parent !== process.pid || started.has(pid)) return false
  ourSession ??= ProcFiles.readEntry(process.pid)?.session
  return session !== ourSession && !isMarked(pid)
}

const isMarked = (pid: number) => ProcFiles.fileLockLimit(pid)?.startsWith(Marks.ofProcess) === true

/** Reaps the adopted children that have ended. Returns how many live. */
export const reap = (): number => {
  let living = 0
  for (const pid of children()) {
    if (started.has(pid)) continue
    const entry = ProcFiles.readEntry(pid)
    if (entry?.parent !== process.pid || !(isMarked(pid) || isUnmarked(entry))) continue
    if (entry.state === "Z") LibC.reap(pid)
    else living++
  }
  return living
}

const check = () => {
  if (reap() > 0 || running.size > 0) return
  clearInterval(reaper)
  reaper = undefined
}
