/** `pi.exec`: a program in a process tree of its own, which ends with the call. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Call from "../../machine/foreign/Call.ts"
import type { Instance } from "../instance/Instance.ts"
import { options, textIn, wantText } from "../instance/Values.ts"

/** Of the output, unless the extension says less. */
const mostBytes = 64 * 1024 * 1024

/** What a program that was ended with TERM exits with. */
const ended = 143

const sizeOf = (value: unknown): number =>
  typeof value === "number" && value >= 0 && value < mostBytes ? Math.trunc(value) : mostBytes

/** Keeps the output up to a number of bytes. */
const makeOutput = (most: number) => {
  const decoder = new TextDecoder()
  let stdout = ""
  let left = most
  let truncated = false
  const take = (chunk: Uint8Array): boolean => {
    stdout += decoder.decode(chunk.subarray(0, left), { stream: true })
    if (chunk.length > left) truncated = true
    left -= Math.min(left, chunk.length)
    return !truncated
  }
  return { take, stdout: () => stdout, truncated: () => truncated }
}

const argumentsOf = (args: unknown): ReadonlyArray<string> => {
  if (args === undefined) return []
  if (Array.isArray(args)) return args.map(String)
  throw new TypeError("exec: args must be an array of texts")
}

export const make =
  ({ bridge, needActive, ports }: Instance) =>
  async (command: unknown, args?: unknown, given?: unknown) => {
    needActive("exec")
    const { maxBuffer, signal, timeout } = options(given)
    const output = makeOutput(sizeOf(maxBuffer))
    const killed = () => ({
      stdout: output.stdout(),
      stderr: "",
      code: ended,
      killed: true,
      truncated: output.truncated()
    })
    const program = ports.processes.run({
      command: [wantText(command, "exec: command"), ...argumentsOf(args)],
      cwd: textIn(options(given), "cwd") ?? ports.cwd,
      onOutput: output.take,
      keepErrors: true
    })
    const run = Effect.match(program, {
      onSuccess: ({ errors, exitCode }) =>
        exitCode === undefined
          ? { ...killed(), stderr: errors }
          : { ...killed(), stderr: errors, code: exitCode, killed: false },
      onFailure: ({ message }) => ({ ...killed(), stderr: message, code: 1, killed: false })
    })
    const isLimited = typeof timeout === "number" && timeout > 0
    const limited = isLimited
      ? Effect.timeoutTo(run, {
          duration: Duration.millis(timeout),
          onSuccess: (result) => result,
          onTimeout: killed
        })
      : run
    return bridge.run(limited, {
      signal: Call.signalOf(signal),
      whenAborted: {
        get value() {
          return killed()
        }
      }
    })
  }
