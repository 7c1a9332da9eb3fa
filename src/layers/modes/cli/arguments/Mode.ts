/** How heddle is to work: for a host, once for a message, or with a person at a terminal. */
import * as Effect from "effect/Effect"
import * as Process from "../../../machine/processes/Process.ts"
import { type Given, invalid } from "./OptionTable.ts"

export type Mode = "rpc" | "json" | "text" | "interactive"

export interface Choice {
  readonly mode: Mode
  /** Not asked in rpc mode, in which it makes no difference. */
  readonly terminals: Process.Terminals
}

const noTerminals: Process.Terminals = { stdin: false, stdout: false, stderr: false }

/** The values of `-p`, then all other words. Empty ones are left out, except behind `--`. */
export const wordsOf = ({ messages, values }: Given): ReadonlyArray<string> => [
  ...(values.get("print") ?? []).filter((word) => word !== ""),
  ...messages
]

const checkRpc = ({ messages, values }: Given) => {
  if (values.has("output-schema")) return invalid("--output-schema is for text and JSON mode, not for RPC mode")
  if (messages.some((message) => message.startsWith("@"))) {
    return invalid("@file arguments are not supported in RPC mode")
  }
  const [word] = messages
  return word === undefined
    ? Effect.void
    : invalid(`messages on the command line are not supported in RPC mode: ${word}`)
}

const nothingToRun =
  'there is no message, and no terminal to ask for one. Give one: heddle "what is in this folder?" (see --help)'

const modeFor = (given: Given, { stdin, stdout }: Process.Terminals) => {
  const mode = given.values.get("mode")?.[0]
  const isOnce = mode !== undefined || given.values.has("print") || given.values.has("output-schema")
  if (wordsOf(given).length > 0 || !stdin) return Effect.succeed<Mode>(mode === "json" ? "json" : "text")
  return isOnce || !stdout ? invalid(nothingToRun) : Effect.succeed<Mode>("interactive")
}

export const choose = Effect.fnUntraced(function* (given: Given) {
  const mode = given.values.get("mode")?.[0]
  if (mode === "rpc" || mode === "rpc-ui") {
    yield* checkRpc(given)
    return { mode: "rpc", terminals: noTerminals } satisfies Choice
  }
  const terminals = yield* Process.terminals
  return { mode: yield* modeFor(given, terminals), terminals } satisfies Choice
})

/** The number of `-r 3`. In rpc mode the value is always the beginning of an id, as hosts expect. */
export const sessionNumber = (mode: Mode, resume: string | undefined): number | undefined =>
  mode !== "rpc" && resume !== undefined && /^\d{1,4}$/.test(resume) ? Number(resume) : undefined
