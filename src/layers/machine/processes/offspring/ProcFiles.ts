/** What /proc says about a process: Linux only. */
import { readFileSync } from "node:fs"
import * as Attempt from "../../engine/Attempt.ts"

export interface Entry {
  readonly pid: number
  readonly state: string
  readonly parent: number
  readonly group: number
  readonly session: number
  /** Clock ticks since boot. */
  readonly startedAt: number
}

/** Undefined if the process has ended, or belongs to another user. */
export const read = (name: string) => Attempt.orUndefined(() => readFileSync(`/proc/${name}`, "latin1"))

/** The numbers after the name, which is in parentheses and may itself contain spaces and parentheses. */
const statistics = (pid: number): ReadonlyArray<string> | undefined => {
  const text = read(`${pid}/stat`)
  return text?.slice(text.lastIndexOf(")") + 2).split(" ")
}

export const readEntry = (pid: number): Entry | undefined => {
  const fields = statistics(pid)
  if (fields === undefined) return undefined
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

export const childrenOf = (pid: number): ReadonlyArray<number> | undefined =>
  read(`${pid}/task/${pid}/children`)?.split(" ").filter(Boolean).map(Number)

/** The soft limit on file locks, in decimal digits; also of a process that has ended and is not yet reaped. */
export const fileLockLimit = (pid: number): string | undefined =>
  /^Max file locks +(\w+)/m.exec(read(`${pid}/limits`) ?? "")?.[1]

/** Where the kernel has put the arguments and the environment that a process began with: addresses in its memory. */
export const startBlocks = (pid: number) => {
  const [argumentsFrom = 0, argumentsTo = 0, environmentFrom = 0, environmentTo = 0] = (statistics(pid) ?? [])
    .slice(45, 49)
    .map(Number)
  return {
    arguments: { from: argumentsFrom, to: argumentsTo },
    environment: { from: environmentFrom, to: environmentTo }
  }
}
