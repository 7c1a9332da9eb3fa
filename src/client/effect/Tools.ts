/** Tools and answers of a host that are Effects. heddle's cancel interrupts them. */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as JSONSchema from "effect/JSONSchema"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { UiAnswer, UiHandler, UiRequest } from "../Dialogs.ts"
import type { HostToolDefinition } from "../generated/Protocol.ts"
import type { CustomTool, ToolResult } from "../HostTools.ts"
import { toPromise } from "./Bridge.ts"

export interface ToolContext {
  readonly toolCallId: string
  /** Shows progress: all output so far, not an increment. */
  readonly sendUpdate: (partial: ToolResult) => Effect.Effect<void>
}

export interface Tool<R = never> extends HostToolDefinition {
  /** A failure is an error result for the model, with the message of the error. */
  readonly execute: (
    args: Readonly<Record<string, unknown>>,
    context: ToolContext
  ) => Effect.Effect<ToolResult, unknown, R>
}

/** Answers a question to the user. An interrupt means that heddle has withdrawn it. */
export type Ui<R = never> = (request: UiRequest) => Effect.Effect<UiAnswer, never, R>

const whatIsWrong = (error: ParseResult.ParseError): Error =>
  new Error(
    ParseResult.ArrayFormatter.formatErrorSync(error)
      .map(({ message, path }) => `${path.join(".")}: ${message}`)
      .join("; ")
  )

/** A tool whose parameters are a Schema: the model gets its JSON Schema, and `execute` what it decodes. */
export const tool = <A, I, R = never>(
  options: Omit<HostToolDefinition, "parameters"> & {
    readonly parameters: Schema.Schema<A, I>
    readonly execute: (args: A, context: ToolContext) => Effect.Effect<ToolResult, unknown, R>
  }
): Tool<R> => {
  const decode = Schema.decodeUnknown(options.parameters)
  return {
    ...options,
    parameters: { ...JSONSchema.make(options.parameters) },
    execute: (args, context) =>
      decode(args).pipe(
        Effect.mapError(whatIsWrong),
        Effect.flatMap((decoded) => options.execute(decoded, context))
      )
  }
}

/** Makes them what the client calls. Their fibers end with the scope. */
export const bind = <R>() =>
  Effect.map(FiberSet.makeRuntime<R>(), (run) => ({
    tool: (tool: Tool<R>): CustomTool => ({
      ...tool,
      execute: (args, { sendUpdate, signal, toolCallId }) => {
        const context = { toolCallId, sendUpdate: (partial: ToolResult) => Effect.sync(() => sendUpdate(partial)) }
        return toPromise(run(tool.execute(args, context)), signal)
      }
    }),
    ui:
      (answer: Ui<R>): UiHandler =>
      (request, { signal }) =>
        toPromise(run(answer(request)), signal)
  }))
