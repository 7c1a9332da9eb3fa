/** Tools that somebody else runs for us: the host over the wire, or the program that embeds us. */
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
  /** Does one call. An interrupt means that the result is not wanted any more: an abort, or the deadline has passed. */
  readonly call: (args: JsonObject, context: ToolContext) => Effect.Effect<ToolOutput, ToolFailure>
  /** Last line of the result of an interrupted call. */
  readonly abortedText?: () => string
}

/** The tools of one source. */
export interface HostToolSet {
  /**
   * Takes the place of everything that was in the set, from the next model call on; answers the names, in order. Calls
   * that are going on come to their end. `reserved` are names that are taken. On failure the set stays as it was.
   */
  readonly replace: (
    tools: ReadonlyArray<HostTool>,
    reserved?: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<string>, HostToolRefused>
}

export class HostTools extends Context.Tag("heddle/services/host/HostTools")<
  HostTools,
  {
    /** What all sources offer now. */
    readonly active: Effect.Effect<ReadonlyArray<Tool>>
    /** A set of one's own, empty at first; it goes with the scope. */
    readonly join: Effect.Effect<HostToolSet, never, Scope.Scope>
  }
>() {}
