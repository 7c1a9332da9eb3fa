/** Hooks that do one thing each, for transcripts: `# hooks: [{"name":"guard","at":"toolCall","does":"blocks"}]`. */
import { Effect, Layer } from "effect"
import { text as textBlock } from "../../../src/domain/conversation/Content.ts"
import type { AgentMessage } from "../../../src/domain/conversation/Message.ts"
import * as HookLayer from "../../../src/layers/session/modules/hooks/HookLayer.ts"
import type { InputDecision, UserCommandAnswer } from "../../../src/services/hooks/HookPoints.ts"

export interface Described {
  readonly name: string
  readonly does: string
  /** The point of hooks that are the same everywhere. */
  readonly at?: "TurnStarted" | "MessageEnded" | "toolCall" | "context" | "sessionEnding"
}

const failing = () => Effect.fail({ message: "out of order" })

/** The text says what becomes of it: `wait 6000 then change it`. */
const obey = (text: string): Effect.Effect<InputDecision | void> => {
  const [, ms = "0", what] = /^(?:wait (\d+) then )?(handle|change) it$/.exec(text) ?? []
  const decision: InputDecision | undefined =
    what === "handle" ? { _tag: "Handled" } : what === "change" ? { _tag: "Transform", text: "Changed." } : undefined
  return ms === "0" ? Effect.succeed(decision) : Effect.delay(Effect.succeed(decision), Number(ms))
}

const rewritten = (message: AgentMessage): AgentMessage =>
  message.role === "assistant" && message.stopReason === "stop"
    ? { ...message, content: [{ type: "text", text: "Rewritten." }] }
    : message

/** `supplied` and `elsewhere` name what is to be done; other commands run as usual. */
const command = (name: string): UserCommandAnswer | undefined => {
  if (name === "supplied") return { _tag: "Result", output: "by a hook\n", exitCode: 3 }
  if (name !== "elsewhere") return undefined
  const run = (onOutput: (text: string) => void) =>
    Effect.zipRight(
      Effect.sync(() => onOutput("elsewhere\n")),
      Effect.never
    )
  return { _tag: "Run", run }
}

const sets: Readonly<Record<string, HookLayer.HookSet>> = {
  obeys: { input: ({ text }) => obey(text) },
  blocks: {
    toolCall: ({ toolName }) => (toolName === "write" ? { block: true, reason: "Nothing is written here." } : undefined)
  },
  marks: { toolResult: ({ content }) => ({ content: [...content, textBlock("(seen by a hook)")] }) },
  briefs: {
    runStarting: ({ text }) =>
      text === "plain"
        ? undefined
        : { message: { customType: "brief", content: "Be brief.", display: true }, systemPrompt: "Only this." }
  },
  rewrites: { messageEnding: ({ message }) => ({ message: rewritten(message) }) },
  runs: { userCommand: (event) => command(event.command) },
  keeps: {
    leaving: () => ({ cancel: true }),
    branching: () => ({ cancel: true }),
    navigating: () => ({ cancel: true })
  }
}

const layerOf = ({ at = "TurnStarted", does, name }: Described): Layer.Layer<never> => {
  if (does === "joins slowly") return HookLayer.contributor({ name, join: () => Effect.sleep("1 second") })
  if (does === "cannot join") return HookLayer.contributor({ name, join: () => Effect.dieMessage("no such module") })
  if (does === "fails") return HookLayer.layer(name, { [at]: failing })
  if (does === "hangs") return HookLayer.layer(name, { [at]: () => Effect.never })
  return HookLayer.layer(name, sets[does] ?? { input: () => Effect.dieMessage(`unknown: ${does}`) })
}

/** In the order in which they are described. */
export const layer = (described: ReadonlyArray<Described>): Layer.Layer<never> =>
  described.map(layerOf).reduce((before, next) => Layer.provide(next, before), Layer.empty)
