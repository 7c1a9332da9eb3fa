/** A tool call between its hooks: `toolCall` may change or block it, `toolResult` may change its result (protocol.md 11.4). */
import * as Effect from "effect/Effect"
import type { ToolCall } from "../../../domain/conversation/Content.ts"
import { text } from "../../../domain/conversation/Content.ts"
import type { JsonObject } from "../../../domain/conversation/Content.ts"
import type { ToolOutput } from "../../../domain/conversation/Message.ts"
import { defined } from "../../../domain/Values.ts"
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

const fail = ({ content, details, terminate }: ToolAnswer) =>
  new ToolFailure({ message: "", content, ...defined({ details }), ...ending(terminate) })

/** The result as the hooks have left it. */
const answer = (hooks: HookRegistry, asked: ToolCallAsked, output: ToolAnswer, failed: boolean) =>
  Effect.flatMap(Asking.toolResult(hooks, asked, output, failed), ({ isError, output: changed }) =>
    isError ? fail(changed) : Effect.succeed(changed)
  )

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
    if (verdict?.blocked !== undefined) {
      return yield* new ToolFailure({ message: verdict.blocked, ...ending(verdict.terminate) })
    }
    return yield* Effect.matchEffect(execute(asked.input), {
      onFailure: (failure) => answer(hooks, asked, { ...failureOutput(failure), ...ending(failure.terminate) }, true),
      onSuccess: (output) => answer(hooks, asked, output, false)
    })
  })
}
