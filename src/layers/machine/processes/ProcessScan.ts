/**
 * Finds the processes that belong to a shell. On Linux through /proc: by process group and session, by the marks that every
 * descendant inherits, and by parent. Elsewhere only the process group is known.
 */
import { readdirSync } from "node:fs"
import * as Attempt from "../engine/Attempt.ts"
import * as Marks from "./offspring/Marks.ts"
import * as Orphans from "./offspring/Orphans.ts"
import { childrenOf, type Entry, fileLockLimit, read, readEntry } from "./offspring/ProcFiles.ts"

export const markVariable = "HEDDLE_PROCESS_MARK"

export interface Family {
  /** The shells, each of which leads a group and a session. */
  readonly leaders: ReadonlyArray<number>
  /** The mark of its processes begins with this: their limit on file locks, and the variable. */
  readonly mark: string
  /** The start of the shell by performance.now(), if there is one. */
  readonly since?: number
  /** Whether no other program can have started an orphan without a mark. */
  readonly claims?: () => boolean
  /** All members seen so far. A child without the mark cannot be found again once its parent is gone. */
  readonly known: Map<number, Entry>
}

export interface Scan {
  /** Arguments for process.kill: processes, or process groups as negative numbers. */
  readonly alive: ReadonlyArray<number>
  /** False when a process ended during the scan: it may have left a child that was not seen. */
  readonly settled: boolean
}

export const findsMarks = process.platform === "linux"

/** No descendant is older than heddle itself, so few environments have to be read. */
let ourStart: number | undefined

const scanGroups = ({ leaders }: Family): Scan => ({
  alive: leaders.flatMap((pid) => (isAlive(-pid) ? [-pid] : [])),
  settled: true
})

const isAlive = (target: number): boolean => Attempt.or(() => process.kill(target, 0), false)

/** An upper bound for the processes and threads that a machine starts in a millisecond. */
const fastest = 50

let largestPid: number | undefined

/**
 * Process numbers are given out in a circle. Until they can have wrapped around, every member of the family has a higher
 * number than its shell, and others need not be read, which takes the kernel 8 us each. Call this after listing /proc.
 */
const lowestPid = ({ leaders: [leader], since }: Family): number => {
  if (leader === undefined || since === undefined) return 0
  largestPid ??= Number(read("sys/kernel/pid_max") ?? 0)
  if (performance.now() - since > largestPid / fastest) return 0
  const newest = Number(read("loadavg")?.trimEnd().split(" ").at(-1))
  return newest >= leader ? leader : 0
}

/** Everything below this process, which is all that its commands can have started when orphans are adopted. */
const descendants = (entries: ReadonlyArray<Entry>): ReadonlySet<number> => {
  const below = new Set([process.pid])
  addChildren(below, entries)
  return below
}

const addChildren = (found: Set<number>, entries: ReadonlyArray<Entry>) => {
  for (let before = -1; before !== found.size;) {
    before = found.size
    for (const { parent, pid } of entries) if (found.has(parent)) found.add(pid)
  }
}

const bearsMark = (pid: number, mark: string): boolean => {
  if (Marks.isEffective()) {
    const limit = fileLockLimit(pid)
    if (limit?.startsWith(Marks.ofProcess) === true) return limit.startsWith(mark)
  }
  return read(`${pid}/environ`)?.includes(`${markVariable}=${mark}`) ?? false
}

/** An orphan without a mark goes with the only command that can have started it, or with the last tree. */
const isClaimed = ({ claims, known, leaders: [leader] }: Family, entry: Entry): boolean => {
  if (claims?.() !== true || !Orphans.isUnmarked(entry)) return false
  if (leader === undefined) return true
  const began = known.get(leader)?.startedAt
  return began !== undefined && entry.startedAt >= began
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
  const below = Orphans.areAdopted() ? descendants(entries) : undefined
  const isMember = (entry: Entry) =>
    entry.state !== "Z" &&
    (leaders.includes(entry.group) ||
      leaders.includes(entry.session) ||
      known.get(entry.pid)?.startedAt === entry.startedAt ||
      (below?.has(entry.pid) !== false && (bearsMark(entry.pid, mark) || isClaimed(family, entry))))
  const found = new Set(entries.filter(isMember).map(({ pid }) => pid))
  // A child may have cleared its environment and left the session. It is still found by its parent.
  addChildren(found, entries)
  const alive = entries.filter(({ pid, state }) => found.has(pid) && state !== "Z")
  for (const entry of alive) known.set(entry.pid, entry)
  return { alive: alive.map(({ pid }) => pid), settled }
}

/** The bit of SIGTERM in a hexadecimal signal mask. */
const term = 1n << 14n

/**
 * Whether all of them ignore TERM, so that none can react to it. A process that blocks TERM may still fetch it, and one that
 * handles it may need its time.
 */
export const ignoreTerm = (pids: ReadonlyArray<number>): boolean =>
  findsMarks &&
  pids.every((pid) => {
    const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(read(`${pid}/status`) ?? "")?.[1]
    return mask !== undefined && (BigInt(`0x${mask}`) & term) !== 0n
  })

/** The living processes that got no TERM and have no living ancestor that got one. */
export const unsignalled = (
  { known }: Family,
  signalled: ReadonlySet<number>,
  alive: ReadonlyArray<number>
): ReadonlyArray<number> => {
  const living = new Set(alive)
  const isSignalled = (pid: number | undefined): boolean =>
    pid !== undefined && living.has(pid) && (signalled.has(pid) || isSignalled(known.get(pid)?.parent))
  return alive.filter((pid) => !isSignalled(pid))
}

/** Some kernels do not list children. */
let listsChildren: boolean | undefined

/** Records the leaders and their descendants while their parents are alive, as quickly as possible. Returns them. */
export const noteDescendants = (family: Family): ReadonlyArray<Entry> => {
  const { known, leaders } = family
  listsChildren ??= childrenOf(process.pid) !== undefined
  if (!listsChildren) return scan(family).alive.flatMap((pid) => known.get(pid) ?? [])
  const noted: Array<Entry> = []
  const waiting = [...leaders]
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    const entry = readEntry(pid)
    if (entry === undefined) continue
    known.set(pid, entry)
    noted.push(entry)
    waiting.push(...(childrenOf(pid) ?? []))
  }
  return noted
}

export const scan: (family: Family) => Scan = findsMarks ? scanProc : scanGroups
