/** Tools that the host or the embedder runs. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { JsonObject } from "../../domain/conversation/Content.ts"
import type { ToolOutput } from "../../domain/conversation/Message.ts"
import type { HostToolRefused } from "./HostToolRefused.ts"
import type { Tool, ToolContext, ToolFailure } from "../Tools.ts"

export interface HostToolDefinition {
  readonly name: string
  /** For people; the name unless given. */
  readonly label?: string
  readonly description: string
  /** JSON Schema of an object; arguments are checked against it before a call. */
  readonly parameters: JsonObject
  /** Registered, but models are not offered it. */
  readonly hidden?: boolean
  /** Longest time without progress. */
  readonly timeoutMs?: number
}

export interface HostTool extends HostToolDefinition {
  /** Runs one call. An abort, a cancel and the deadline interrupt it. */
  readonly call: (args: JsonObject, context: ToolContext) => Effect.Effect<ToolOutput, ToolFailure>
  /** Last line of the result of an interrupted call. */
  readonly abortedText?: () => string
}

export interface HostToolSet {
  /**
   * Replaces all tools of the set, from the next model call on, and returns their names in order. Pending calls
   * continue. `reserved` has the names of other tools. On failure the set stays as it was.
   */
  readonly replace: (
    tools: ReadonlyArray<HostTool>,
    reserved?: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<string>, HostToolRefused>
}

export class HostTools extends Context.Tag("heddle/services/host/HostTools")<
  HostTools,
  {
    /** The tools that all sources offer at this moment. */
    readonly active: Effect.Effect<ReadonlyArray<Tool>>
    /** A set for one source, empty at first. Closing the scope removes it. */
    readonly join: Effect.Effect<HostToolSet, never, Scope.Scope>
  }
>() {}
