/** One agent on a scripted model with tools of the test's own, and everything it published. */
import { Effect } from "effect"
import type { AgentEvent } from "../../../src/domain/conversation/AgentEvent.ts"
import { text } from "../../../src/domain/conversation/Content.ts"
import type { Tool } from "../../../src/services/Tools.ts"
import type * as ScriptedModel from "./ScriptedModel.ts"
import * as TestAgent from "./TestAgent.ts"

export interface HarnessOptions extends TestAgent.AgentOptions {
  readonly turns: ReadonlyArray<ScriptedModel.ScriptedTurn>
}

export const tool = (name: string, run: Tool["run"], more: Partial<Tool> = {}): Tool => ({
  definition: { name, description: name, parameters: { type: "object" } },
  concurrency: "shared",
  abortedText: "Operation aborted",
  run,
  ...more
})

export const output = (said: string) => ({ content: [text(said)] })

/** Runs `body` with the agent, its session, its model script and the list of events so far. */
export const run = <A, E, R>(options: HarnessOptions, body: (harness: TestAgent.TestAgent) => Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.flatMap(TestAgent.make(options), body))

/** Events as short words: `RunStarted`, `ToolEnded:ls!` (an error), `MessageEnded:assistant/stop`. */
export const summary = (events: ReadonlyArray<AgentEvent>): ReadonlyArray<string> =>
  events
    .filter(({ _tag }) => _tag !== "MessageUpdated" && _tag !== "MessageStarted")
    .map((event) => {
      if (event._tag === "ToolStarted") return `ToolStarted:${event.toolCallId}`
      if (event._tag === "ToolEnded") return `ToolEnded:${event.toolCallId}${event.isError ? "!" : ""}`
      if (event._tag === "PromptFinished") return `PromptFinished:${event.status}`
      if (event._tag !== "MessageEnded") return event._tag
      const { message } = event
      return `MessageEnded:${message.role}${message.role === "assistant" ? `/${message.stopReason}` : ""}`
    })

export const resultTexts = (events: ReadonlyArray<AgentEvent>): ReadonlyArray<string> =>
  events.flatMap((event) =>
    event._tag === "ToolEnded" ? event.result.content.map((block) => (block.type === "text" ? block.text : "")) : []
  )
