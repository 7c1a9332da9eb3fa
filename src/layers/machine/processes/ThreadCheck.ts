/**
 * Ends a process that can start no thread. Bun reads and writes files in threads that it starts when it first needs them.
 * Where the limit on processes leaves none, it says nothing, and reading a file never ends. Linux only.
 */
import { readdirSync, writeSync } from "node:fs"
import { stat } from "node:fs/promises"
import { setTimeout } from "../engine/Primordials.ts"
import { read } from "./offspring/ProcFiles.ts"

/** Milliseconds until the check begins, after the start, and until it looks at the result. */
const delay = 1000

export const poolThreads = (): number =>
  readdirSync("/proc/self/task").filter((id) => read(`self/task/${id}/comm`)?.startsWith("Bun Pool") === true).length

const message =
  "Error: the system lets heddle start no thread, so no file can be read. " +
  "Raise the limit on processes (ulimit -u, or the pids limit of the container), or end programs that are not needed.\n"

const check = () => {
  let answered = false
  const answer = () => {
    answered = true
  }
  stat("/").then(answer, answer)
  // A slow disk has no part in this: it keeps threads busy that exist.
  const look = () => {
    if (answered || poolThreads() > 0) return
    writeSync(2, message)
    process.exit(1)
  }
  setTimeout(look, delay).unref()
}

/** Later, so that the start does not pay for it. */
export const begin = (): void => {
  if (process.platform === "linux") setTimeout(check, delay).unref()
}
