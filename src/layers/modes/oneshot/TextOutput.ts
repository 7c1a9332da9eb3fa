/**
 * Text mode: the answer on stdout. On a terminal, and with --stream, all text is written while it streams; else a pipe gets
 * the text of the last message, once, so that `$(heddle -p …)` is the answer (docs/decisions/0040-one-shot-output.md).
 * Owns what waits to be written.
 */
import * as Effect from "effect/Effect"
import * as Mailbox from "effect/Mailbox"
import { type AgentEvent, failureText } from "../../../domain/conversation/AgentEvent.ts"
import { type JsonObject, plainText } from "../../../domain/conversation/Content.ts"
import * as Text from "../../../domain/Text.ts"
import * as Backpressure from "../../../services/fibers/Backpressure.ts"
import type { Outcome, Presentation } from "../../../services/host/Presentation.ts"
import { Transport } from "../../../services/host/Transport.ts"
import * as Process from "../../machine/processes/Process.ts"

const longest = 100

const oneLine = (text: string): string => Text.name(text.trim().replaceAll(/\s+/g, " "), longest)

/** A tool with one argument, or with a command or a path, is recognized by it. */
const argumentsOf = (args: JsonObject): string => {
  const [first, ...more] = Object.values(args)
  const main = args["command"] ?? args["path"] ?? (more.length === 0 ? first : undefined)
  return oneLine(typeof main === "string" ? main : JSON.stringify(args))
}

/** Undefined for what needs no line. */
const progressLine = (event: AgentEvent): string | undefined => {
  switch (event._tag) {
    case "ToolStarted":
      return `· ${event.toolName} ${argumentsOf(event.args)}`
    case "ToolEnded":
      return event.isError ? `  ${event.toolName} failed: ${oneLine(plainText(event.result.content))}` : undefined
    case "RetryScheduled":
      return `  ${oneLine(event.errorMessage)} Trying again in ${Math.ceil(event.delayMs / 1000)} s (${event.attempt} of ${event.maxAttempts}).`
    case "RulesTriggered":
      return "  A rule has cut this answer off; the model answers again."
    case "CompactionStarted":
      return "· compacting the conversation"
    case "SubagentStarted":
      return `· subagent ${event.subagent.id}`
    default:
      return undefined
  }
}

/** Written wherever stderr goes. */
const problemOf = (event: AgentEvent): string | undefined => {
  switch (event._tag) {
    case "Notice":
      return event.level === "info" ? undefined : `heddle warn: ${event.message}`
    case "ExtensionFailed":
      return `heddle warn: the extension ${event.extensionPath} failed: ${failureText(event)}`
    default:
      return undefined
  }
}

export interface TextOptions {
  /** Shows the text of all messages while it streams. */
  readonly live: boolean
  /** Whether stdout is a terminal, which may show stderr, too. */
  readonly isTerminal: boolean
  /** Reports on stderr what the agent does: stderr is a terminal. */
  readonly progress: boolean
}

interface Piece {
  readonly to: "stdout" | "stderr"
  readonly text: string
}

/** Pieces that may wait before the run does. */
const lead = 1024

/** Turns events into pieces. Messages are separated by an empty line. */
const makeReporter = ({ isTerminal, live, progress }: TextOptions, say: (piece: Piece) => void) => {
  let isLineOpen = false
  let hasText = false
  /** Characters of the message at hand that were shown. */
  let shown = 0
  const out = (text: string) => {
    if (text === "") return
    if (shown === 0 && hasText) say({ to: "stdout", text: "\n" })
    say({ to: "stdout", text })
    shown += text.length
    hasText = true
    isLineOpen = !text.endsWith("\n")
  }
  const closeLine = () => {
    if (isLineOpen) say({ to: "stdout", text: "\n" })
    isLineOpen = false
  }
  const report = (line: string | undefined) => {
    if (line === undefined) return
    if (isTerminal) closeLine()
    say({ to: "stderr", text: `${line}\n` })
  }
  const stream = (event: AgentEvent) => {
    if (event._tag === "MessageUpdated" && event.update.kind === "text" && event.update.step === "delta") {
      out(event.update.delta)
    }
    if (event._tag !== "MessageEnded" || event.message.role !== "assistant") return
    if (shown === 0) out(plainText(event.message.content))
    closeLine()
    shown = 0
  }
  return {
    take: (event: AgentEvent) => {
      if (live) stream(event)
      report(problemOf(event) ?? (progress ? progressLine(event) : undefined))
    },
    closeLine
  }
}

/** What goes to a pipe in the end. */
const answerOf = (outcome: Outcome | undefined, live: boolean): string => {
  if (outcome?._tag === "Submitted") return `${JSON.stringify(outcome.value)}\n`
  if (outcome?._tag !== "Answered" || live || outcome.text === "") return ""
  return `${outcome.text}\n`
}

export const open = Effect.fnUntraced(function* (options: TextOptions) {
  const transport = yield* Transport
  const pieces = yield* Mailbox.make<Piece>()
  const { caughtUp, ready } = Backpressure.make(Backpressure.sizeOf(pieces), lead)
  const say = (piece: Piece) => void pieces.unsafeOffer(piece)
  const reporter = makeReporter(options, say)
  const write = Effect.gen(function* () {
    for (let done = false; !done;) {
      const [taken, isLast] = yield* pieces.takeAll
      yield* caughtUp
      let text = ""
      for (const piece of taken) {
        if (piece.to === "stdout") {
          text += piece.text
          continue
        }
        if (text !== "") yield* transport.write(text)
        text = ""
        yield* Process.printError(piece.text.trimEnd())
      }
      if (text !== "") yield* transport.write(text)
      done = isLast
    }
  })
  return {
    offer: reporter.take,
    ready,
    run: Effect.ensuring(write, Effect.zipRight(pieces.shutdown, caughtUp)),
    conclude: (outcome) => {
      reporter.closeLine()
      const answer = answerOf(outcome, options.live)
      if (answer !== "") say({ to: "stdout", text: answer })
    },
    end: Effect.asVoid(pieces.end)
  } satisfies Presentation
})
