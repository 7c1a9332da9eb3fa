/** Meddles with what belongs to the process: its input, its code, its listeners, its folder, its prototypes. */
import { spawn } from "node:child_process"
import type { Api } from "../Pi.ts"

/** A program that reads what it inherits. */
const thief = () => spawn("cat", [], { stdio: "inherit" })

const attempts: ReadonlyArray<() => unknown> = [
  thief,
  () => process.stdin.resume(),
  () => process.stdin.on("data", () => undefined),
  () => Bun.stdin.stream().getReader(),
  () => (process.exitCode = 9),
  () => process.chdir("/"),
  () => (console.log = () => undefined),
  () => process.removeAllListeners("SIGTERM")
]

export default (pi: Api): void => {
  for (const attempt of attempts) {
    try {
      attempt()
    } catch {
      // The next one may work.
    }
  }
  pi.registerCommand("meddle", {
    handler: () => {
      process.stdin.destroy()
      process.removeAllListeners("uncaughtException")
      process.removeAllListeners("unhandledRejection")
      setTimeout(() => {
        throw new Error("after the listeners are gone")
      }, 1)
      void Promise.reject(new Error("nobody listens"))
    }
  })
}
