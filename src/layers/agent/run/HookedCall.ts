/** A tool call between its hooks: `toolCall` may change or block it, `toolResult` may change its result (protocol.md 11.4). */
import * as Effect from "effect/Effect"
import type { ToolCall } from "../../../domain/conversation/Content.ts"
import { text } from "../../../domain/conversation/Content.ts"
import type { JsonObject } from "../../../domain/conversation/Content.ts"
import type { ToolOutput } from "../../../domain/conversation/Message.ts"
import type { ToolCallAsked } from "../../../services/hooks/HookPoints.ts"
import { type ToolAnswer, ToolFailure } from "../../../services/Tools.ts"
import * as Asking from "../../hooks/Asking.ts"
import type { HookRegistry } from "../../hooks/HookRegistry.ts"

export interface CallHooks {
  readonly hooks: HookRegistry
  /** Returns when hooks have seen every event so far. */
  readonly flush: Effect.Effect<void>
  /** Calls are asked about one by one, in the order in which they start. */
  readonly turn: Effect.Semaphore
}

type Run = (args: JsonObject) => Effect.Effect<ToolAnswer, ToolFailure>

export const failureOutput = ({ content, details, message }: ToolFailure): ToolOutput => ({
  content: content ?? [text(message)],
  details: details ?? {}
})

const ending = (terminate: boolean | undefined) => (terminate === true ? { terminate } : {})

/** The result as the hooks have left it. Whether it ends the run is for the tool to say. */
const answer = (hooks: HookRegistry, asked: ToolCallAsked, given: ToolAnswer, failed: boolean) => {
  const { terminate, usage, ...output } = given
  return Effect.flatMap(Asking.toolResult(hooks, asked, output, failed), ({ isError, output: changed }) => {
    if (!isError) return Effect.succeed({ ...changed, ...ending(terminate), ...(usage === undefined ? {} : { usage }) })
    const { content, details } = changed
    const rest = { ...(details === undefined ? {} : { details }), ...ending(terminate) }
    return new ToolFailure({ message: "", content, ...rest })
  })
}

const ask = ({ flush, hooks, turn }: CallHooks, asked: ToolCallAsked) =>
  hooks.has("toolCall")
    ? turn.withPermits(1)(Effect.zipRight(flush, Asking.toolCall(hooks, asked)))
    : Effect.succeed(undefined)

export const run = (around: CallHooks, call: ToolCall, execute: Run): Effect.Effect<ToolAnswer, ToolFailure> => {
  const { hooks } = around
  if (!hooks.has("toolCall") && !hooks.has("toolResult")) return execute(call.arguments)
  return Effect.gen(function* () {
    // The message of the model keeps the arguments that it asked for.
    const asked: ToolCallAsked = { toolCallId: call.id, toolName: call.name, input: structuredClone(call.arguments) }
    const verdict = yield* ask(around, asked)
    if (verdict?.blocked !== undefined)
      return yield* new ToolFailure({ message: verdict.blocked, ...ending(verdict.terminate) })
    return yield* Effect.matchEffect(execute(asked.input), {
      onFailure: (failure) => answer(hooks, asked, { ...failureOutput(failure), ...ending(failure.terminate) }, true),
      onSuccess: (output) => answer(hooks, asked, output, false)
    })
  })
}
