/** Keeps extensions from ending the process. heddle's own end takes the fence down (processes/Process.ts). */
import * as Process from "../processes/Process.ts"
import { stackOf } from "./ForeignValue.ts"

/** Thrown in the place of the exit. */
export class ExitFence extends Error {
  override readonly name = "ExitFence"
  constructor(call: string) {
    super(`${call} would end heddle. An extension ends the session with ctx.shutdown().`)
  }
}

const methods = ["exit", "reallyExit", "abort"] as const

/** Signal 0 only asks whether the process lives. */
const hitsUs = (pid: unknown, signal: unknown) =>
  signal !== 0 && (pid === process.pid || pid === 0 || pid === -process.pid)

/** heddle listens to these itself. Extensions take away their own listeners one by one. */
const kept: ReadonlySet<unknown> = new Set(["uncaughtException", "unhandledRejection", "SIGHUP", "SIGINT", "SIGTERM"])

/** Keeps the listeners of heddle where code takes away all that there are. */
const fenceListeners = (): (() => void) => {
  const { removeAllListeners } = process
  Reflect.set(process, "removeAllListeners", (event?: string | symbol) => {
    const events = event === undefined ? process.eventNames() : [event]
    for (const name of events) if (!kept.has(name)) removeAllListeners.call(process, name)
    return process
  })
  return () => void Reflect.set(process, "removeAllListeners", removeAllListeners)
}

/** Puts the fence up, and returns the function that takes it down. */
export const fenceExit = (report: (stack: string, message: string) => void): (() => void) => {
  const refuse = (call: string): never => {
    const error = new ExitFence(call)
    report(stackOf(error), error.message)
    throw error
  }
  const { kill } = process
  const originals = methods.map((method) => [method, Reflect.get(process, method)] as const)
  for (const method of methods) Reflect.set(process, method, () => refuse(`process.${method}()`))
  Reflect.set(process, "kill", (pid: number, signal?: NodeJS.Signals | number) =>
    hitsUs(pid, signal) ? refuse(`process.kill(${pid})`) : kill.call(process, pid, signal)
  )
  const liftListeners = fenceListeners()
  const lift = () => {
    liftListeners()
    for (const [method, original] of originals) Reflect.set(process, method, original)
    Reflect.set(process, "kill", kill)
  }
  Process.setFence(lift)
  return () => {
    Process.setFence(undefined)
    lift()
  }
}
