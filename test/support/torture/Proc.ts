/** Memory, descriptors and descendants of a process, from /proc. Elsewhere than on Linux every figure is 0. */
import { readdirSync, readFileSync } from "node:fs"

const read = (path: string) => {
  try {
    return readFileSync(path, "latin1")
  } catch {
    return "" // it has ended, or there is no /proc
  }
}

const list = (path: string): ReadonlyArray<string> => {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

const mb = (pid: number, field: string) =>
  Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024

export const rssMb = (pid: number) => mb(pid, "VmRSS")
/** The highest resident memory since the start: the kernel counts it, so no sample can miss it. */
export const peakMb = (pid: number) => mb(pid, "VmHWM")

export const descriptors = (pid: number) => list(`/proc/${pid}/fd`).length
export const threads = (pid: number) => list(`/proc/${pid}/task`).length

/** State and parent of a process. */
const statOf = (pid: number) => {
  const text = read(`/proc/${pid}/stat`)
  const [state = "", parent = "0"] = text.slice(text.lastIndexOf(")") + 2).split(" ")
  return { state, parent: Number(parent) }
}

export const children = (pid: number): ReadonlyArray<number> =>
  list(`/proc/${pid}/task`).flatMap((task) =>
    read(`/proc/${pid}/task/${task}/children`)
      .split(" ")
      .filter((child) => child !== "")
      .map(Number)
  )

export const descendants = (pid: number): ReadonlyArray<number> => {
  const found = [...children(pid)]
  for (const child of found) found.push(...children(child))
  return found
}

export const isZombie = (pid: number) => statOf(pid).state === "Z"
export const isAlive = (pid: number) => !["", "Z", "X"].includes(statOf(pid).state)
export const commandLine = (pid: number) => read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim()

/** Living processes that have inherited the text in their environment, or carry it in their command line. */
export const holding = (text: string): ReadonlyArray<number> =>
  list("/proc")
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
    .map(Number)
    .filter((pid) => read(`/proc/${pid}/environ`).includes(text) || read(`/proc/${pid}/cmdline`).includes(text))
    .filter(isAlive)
