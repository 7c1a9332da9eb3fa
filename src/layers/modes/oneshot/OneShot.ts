/** Answers one message and ends: the run of text and JSON mode. How it is shown is the presentation's matter. */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { AgentEvent, PromptEnd } from "../../../domain/conversation/AgentEvent.ts"
import { lastAssistantText, type RunMessage, type UserInput } from "../../../domain/conversation/Message.ts"
import { Agent, type PromptRejected } from "../../../services/Agent.ts"
import { Inbox } from "../../../services/session/Inbox.ts"
import type { Outcome, Presentation } from "../../../services/host/Presentation.ts"
import { ToolSet } from "../../../services/Tools.ts"
import { Sessions } from "../../../services/session/Sessions.ts"
import { Shell } from "../../../services/Shell.ts"
import type * as Process from "../../machine/processes/Process.ts"
import { StartupFailure } from "../cli/arguments/OptionTable.ts"
import type { OutputSchema } from "../../delegation/subagents/child/OutputSchema.ts"
import * as Input from "./Input.ts"
import * as Missed from "./Missed.ts"
import * as Structured from "./Structured.ts"
import * as TextOutput from "./TextOutput.ts"

/** What the user asks for. */
export interface Request {
  readonly input: UserInput
  /** What the answer has to look like. */
  readonly schema?: OutputSchema
}

export interface OneShotOptions<R> {
  readonly request: Effect.Effect<Request, StartupFailure>
  readonly open: Effect.Effect<Presentation, never, R>
}

export interface ReadOptions {
  readonly words: ReadonlyArray<string>
  readonly outputSchema?: string
  readonly cwd: string
}

/** Begins to read the request, and returns the effect that waits for it. The agent can be built meanwhile. */
export const read = Effect.fnUntraced(function* ({ cwd, outputSchema, words }: ReadOptions) {
  const schema = outputSchema === undefined ? undefined : yield* Structured.schemaOf(outputSchema, cwd)
  const message = yield* Input.gather(words, cwd)
  return Effect.map(message, (input): Request => (schema === undefined ? { input } : { input, schema }))
})

interface TextManner extends Pick<ReadOptions, "outputSchema"> {
  readonly stream: boolean
  readonly terminals: Process.Terminals
}

/** Shows the answer as text. */
export const openText = ({ outputSchema, stream, terminals: { stderr, stdout } }: TextManner) =>
  TextOutput.open({ live: (stdout || stream) && outputSchema === undefined, isTerminal: stdout, progress: stderr })

/** How long the end may take after the answer, and after a signal (protocol.md 1.4, supplement 4.1). */
const afterAnswer = "3 seconds"
const afterSignal = "700 millis"

const chooseModel = "Choose one with --model <provider/id>; `heddle --list-models` shows those that can be used."

const rejected = (rejection: PromptRejected) => {
  switch (rejection._tag) {
    case "NoModelSelected":
      return new StartupFailure({ code: "NO_MODEL", message: `No model is selected. ${chooseModel}` })
    case "MissingCredentials":
      return new StartupFailure({ code: "NO_MODEL", message: rejection.message })
    default:
      return new StartupFailure({ code: "STARTUP_ERROR", message: rejection.message })
  }
}

/** Sends messages of the user one after the other, and keeps the text of the last run. */
const makeTalk = (sessions: typeof Sessions.Service, presentation: Presentation) => {
  let ended: Deferred.Deferred<PromptEnd> | undefined
  let messages: ReadonlyArray<RunMessage> = []
  const offer = (event: AgentEvent) => {
    presentation.offer(event)
    if (event._tag === "RunEnded") messages = event.messages
    if (event._tag === "PromptFinished" && ended !== undefined) Deferred.unsafeDone(ended, Effect.succeed(event))
  }
  const agent = Effect.map(sessions.current, Context.get(Agent))
  const converse = Effect.fnUntraced(function* (input: UserInput) {
    const end = yield* Deferred.make<PromptEnd>()
    ended = end
    const receipt = yield* Effect.mapError(
      Effect.flatMap(agent, ({ prompt }) => prompt(input)),
      rejected
    )
    if (receipt.agentInvoked === false) return { status: "completed" } satisfies PromptEnd
    const finished = yield* Deferred.await(end)
    yield* Effect.flatMap(agent, ({ awaitIdle }) => awaitIdle)
    return finished
  })
  return {
    sink: { offer, ready: presentation.ready },
    agent,
    toolSet: Effect.map(sessions.current, Context.get(ToolSet)),
    converse,
    lastText: Effect.sync(() => lastAssistantText(messages))
  }
}

const outcomeOf = ({ error, status }: PromptEnd, text: string | null): Outcome => {
  if (status === "completed") return { _tag: "Answered", text: text ?? "" }
  return { _tag: "Failed", message: error?.message ?? "The run was aborted." }
}

type Talk = ReturnType<typeof makeTalk>

const ask = Effect.fnUntraced(function* (
  { input, schema }: Request,
  { converse, lastText, toolSet }: Talk
): Effect.fn.Return<Outcome, StartupFailure, Scope.Scope> {
  if (schema === undefined) return outcomeOf(yield* converse(input), yield* lastText)
  const tools = yield* toolSet
  // A reminder has no files with it.
  const talker = { lastText, converse: (text: string) => converse(text === input.text ? input : { text }) }
  return yield* Effect.catchTag(
    Structured.ask(schema, tools, talker, input.text),
    "ToolRefused",
    ({ message }) => new StartupFailure({ code: "STARTUP_ERROR", message: `--output-schema: ${message}` })
  )
})

/** Ends the run, if one is still going on, and everything that its commands have left. */
const close = Effect.fnUntraced(function* (sessions: typeof Sessions.Service, cause: "end" | "signal") {
  const shell = yield* Shell
  yield* sessions.close
  const leave = Effect.flatMap(sessions.current, (session) => Context.get(session, Inbox).leave)
  const forget = yield* Effect.zipRight(shell.close, leave, { concurrent: true })
  yield* forget
  yield* sessions.farewell
  yield* shell.endBackground(cause)
})

const nobodyReads: Outcome = {
  _tag: "Failed",
  message: "stdout was closed before all of the answer was written"
}

/** From a request to its outcome, with the session open. */
const answer = <R>({ open }: Pick<OneShotOptions<R>, "open">, request: Request) =>
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const presentation = yield* open
    const talk = makeTalk(sessions, presentation)
    const missed = yield* Missed.watch
    yield* sessions.attach(talk.sink)
    const writing = yield* Effect.forkScoped(presentation.run)
    const finish = Effect.fnUntraced(function* (exit: Exit.Exit<Outcome, StartupFailure>) {
      const isStopped = Exit.isInterrupted(exit)
      if (Exit.isSuccess(exit)) presentation.conclude(exit.value)
      else if (isStopped) presentation.conclude(undefined)
      const closing = Effect.disconnect(close(sessions, isStopped ? "signal" : "end"))
      yield* Effect.timeoutOption(Effect.interruptible(closing), isStopped ? afterSignal : afterAnswer)
      yield* presentation.end
      yield* Fiber.await(writing)
    })
    const gone = Effect.as(Fiber.await(writing), nobodyReads)
    const outcome = yield* ask(request, talk).pipe(Effect.raceFirst(gone), Effect.onExit(finish))
    return Exit.isFailure(yield* Fiber.await(writing)) ? nobodyReads : missed.mark(outcome)
  })

/**
 * Returns when the answer is written and the session is closed. Fails if the message is not accepted. An interrupt ends the run,
 * writes what it has answered, and closes the session.
 */
export const run = <R>(options: OneShotOptions<R>) =>
  // Before anything is written: a message that cannot be read leaves stdout empty.
  Effect.scoped(Effect.flatMap(options.request, (request) => answer(options, request)))
