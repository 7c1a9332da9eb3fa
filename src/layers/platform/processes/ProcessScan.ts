/**
 * Which processes belong to a shell. Linux tells through /proc: by process group and session, by a mark in the
 * environment that every descendant inherits, and by parent. Elsewhere only the process group is known.
 */
import { readdirSync, readFileSync } from "node:fs"

export const markVariable = "HEDDLE_PROCESS_MARK"

export interface Family {
  /** The shells, each of which leads a group and a session. */
  readonly leaders: ReadonlyArray<number>
  /** Beginning of the value of the mark. */
  readonly mark: string
  /** When the shell was started, where there is one; by performance.now(). */
  readonly since?: number
  /** What was found so far, as it was last seen: a child without mark is not found again once its parent is gone. */
  readonly known: Map<number, Entry>
}

export interface Scan {
  /** What process.kill takes: processes, or whole groups as negative numbers. */
  readonly alive: ReadonlyArray<number>
  /** False when a process went away while we looked: it may have left a child that we did not see. */
  readonly settled: boolean
}

export interface Entry {
  readonly pid: number
  readonly state: string
  readonly parent: number
  readonly group: number
  readonly session: number
  /** Clock ticks since boot. */
  readonly startedAt: number
}

/** Below /proc. */
const read = (name: string): string | undefined => {
  try {
    return readFileSync(`/proc/${name}`, "latin1")
  } catch {
    return undefined // the process has ended, or is not ours to look into
  }
}

const readEntry = (pid: number): Entry | undefined => {
  const text = read(`${pid}/stat`)
  if (text === undefined) return undefined
  // The name stands in parentheses and may hold anything, also spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ", 20)
  const [state = "", parent, group, session] = fields
  return {
    pid,
    state,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startedAt: Number(fields[19])
  }
}

export const findsMarks = process.platform === "linux"

/** No descendant of ours is older than we are; that leaves few environments to look into. */
let ourStart: number | undefined

const scanGroups = ({ leaders }: Family): Scan => ({
  alive: leaders.flatMap((pid) => (isAlive(-pid) ? [-pid] : [])),
  settled: true
})

const isAlive = (target: number): boolean => {
  try {
    return process.kill(target, 0)
  } catch {
    return false
  }
}

/** More than any machine starts in a millisecond, threads included. */
const fastest = 50

let largestPid: number | undefined

/**
 * Numbers are given out in a circle, so until they can have come around, the family has higher ones than its shell, and
 * nobody else needs to be looked at: each look takes the kernel 8 us. Asked after the numbers were listed.
 */
const lowestPid = ({ leaders: [leader], since }: Family): number => {
  if (leader === undefined || since === undefined) return 0
  largestPid ??= Number(read("sys/kernel/pid_max") ?? 0)
  if (performance.now() - since > largestPid / fastest) return 0
  const newest = Number(read("loadavg")?.trimEnd().split(" ").at(-1))
  return newest >= leader ? leader : 0
}

const scanProc = (family: Family): Scan => {
  const { known, leaders, mark } = family
  ourStart ??= readEntry(process.pid)?.startedAt ?? 0
  let settled = true
  const entries: Array<Entry> = []
  const names = readdirSync("/proc")
  const lowest = lowestPid(family)
  for (const name of names) {
    const pid = Number(name)
    if (Number.isNaN(pid) || pid < lowest || pid === process.pid) continue
    const entry = readEntry(pid)
    if (entry === undefined) settled = false
    else if (entry.startedAt >= ourStart) entries.push(entry)
  }
  const marked = `${markVariable}=${mark}`
  const isMember = ({ group, pid, session, startedAt, state }: Entry) =>
    state !== "Z" &&
    (leaders.includes(group) ||
      leaders.includes(session) ||
      known.get(pid)?.startedAt === startedAt ||
      (read(`${pid}/environ`)?.includes(marked) ?? false))
  const found = new Set(entries.filter(isMember).map(({ pid }) => pid))
  // A child may have cleared its environment and left the session; its parent still gives it away.
  for (let before = -1; before !== found.size;) {
    before = found.size
    for (const { parent, pid } of entries) if (found.has(parent)) found.add(pid)
  }
  const alive = entries.filter(({ pid, state }) => found.has(pid) && state !== "Z")
  for (const entry of alive) known.set(entry.pid, entry)
  return { alive: alive.map(({ pid }) => pid), settled }
}

/** Bit of SIGTERM in a mask of signals, which is written in hexadecimal digits. */
const term = 1n << 14n

/**
 * None of them will ever hear of a TERM. One that blocks it may still ask for it, and one that handles it may take its
 * time; one that ignores it cannot tell that it came.
 */
export const ignoreTerm = (pids: ReadonlyArray<number>): boolean =>
  findsMarks &&
  pids.every((pid) => {
    const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(read(`${pid}/status`) ?? "")?.[1]
    return mask !== undefined && (BigInt(`0x${mask}`) & term) !== 0n
  })

/** Of those who are alive, the ones that have heard of no TERM, and whose living ancestors have not either. */
export const untold = (
  { known }: Family,
  told: ReadonlySet<number>,
  alive: ReadonlyArray<number>
): ReadonlyArray<number> => {
  const living = new Set(alive)
  const isTold = (pid: number | undefined): boolean =>
    pid !== undefined && living.has(pid) && (told.has(pid) || isTold(known.get(pid)?.parent))
  return alive.filter((pid) => !isTold(pid))
}

const childrenOf = (pid: number): ReadonlyArray<number> | undefined =>
  read(`${pid}/task/${pid}/children`)?.split(" ").filter(Boolean).map(Number)

/** Kernels may be built without the list of children. */
let listsChildren: boolean | undefined

/** Notes the descendants of the leaders while their parents still give them away, as quickly as possible. */
export const noteDescendants = (family: Family): void => {
  listsChildren ??= childrenOf(process.pid) !== undefined
  if (!listsChildren) return void scan(family)
  const waiting = [...family.leaders]
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    const entry = readEntry(pid)
    if (entry === undefined) continue
    family.known.set(pid, entry)
    waiting.push(...(childrenOf(pid) ?? []))
  }
}

export const scan: (family: Family) => Scan = findsMarks ? scanProc : scanGroups
