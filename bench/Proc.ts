/** Reads CPU time and memory of a process and its descendants from /proc (Linux only). */
import { readdirSync, readFileSync } from "node:fs"

const ticksPerSecond = 100

const read = (path: string) => {
  try {
    return readFileSync(path, "latin1")
  } catch {
    return "" // the process has ended
  }
}

/** The fields after the command name: 1 is the parent, 11 to 14 are the CPU ticks of the process and its reaped children. */
const fields = (pid: number) => {
  const text = read(`/proc/${pid}/stat`)
  return text.slice(text.lastIndexOf(")") + 2).split(" ")
}

const tree = (root: number): ReadonlyArray<number> => {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  const parents = new Map(pids.map((pid) => [Number(pid), Number(fields(Number(pid))[1])]))
  const found = [root]
  for (const pid of found) for (const [child, parent] of parents) if (parent === pid) found.push(child)
  return found
}

const sum = (values: ReadonlyArray<number>) => values.reduce((total, value) => total + value, 0)

/** User and system time in ms, in steps of 10. */
export const cpuMs = (root: number) =>
  sum(tree(root).map((pid) => (sum(fields(pid).slice(11, 15).map(Number)) * 1000) / ticksPerSecond))

export const rssMb = (root: number) =>
  sum(tree(root).map((pid) => Number(/^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0))) / 1024
