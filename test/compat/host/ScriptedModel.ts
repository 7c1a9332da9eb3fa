/**
 * A chat-completions server on 127.0.0.1. A line `CALL <tool> <json>` in the conversation makes it ask for that tool;
 * once the line has been followed up, and for every other prompt, it answers "OK.".
 */
import { wordsOf } from "../../support/hostile/Wire.ts"
import { at, list, text } from "./Frames.ts"

export interface ModelRequest {
  readonly system: string
  readonly tools: ReadonlyArray<string>
  readonly messages: ReadonlyArray<{ readonly role: string; readonly text: string }>
}

export interface ScriptedModel {
  readonly baseUrl: string
  readonly requests: ReadonlyArray<ModelRequest>
  readonly stop: () => void
}

const isInstruction = (role: string) => role === "system" || role === "developer"

const read = (body: unknown): ModelRequest => {
  const messages = list(at(body, "messages")).map((message) => ({
    role: String(at(message, "role")),
    text: text(at(message, "content"))
  }))
  return {
    system: messages.flatMap((message) => (isInstruction(message.role) ? [message.text] : [])).join("\n"),
    tools: list(at(body, "tools")).map((tool) => String(at(tool, "function", "name"))),
    messages: messages.filter(({ role }) => !isInstruction(role))
  }
}

export interface Call {
  readonly tool: string
  readonly args: string
}

/** An extension may put messages of its own behind the prompt, so the call is not always in the last one. */
export const callOf = ({ messages }: ModelRequest): Call | undefined => {
  for (const { role, text: said } of messages.toReversed()) {
    if (role === "assistant" || role === "tool") return undefined
    const line = /^CALL (\S+) (.+)$/m.exec(said)
    if (line !== null) return { tool: line[1] ?? "", args: line[2] ?? "" }
  }
  return undefined
}

const { finish, finishTools, openText, start: begin, text: say, toolCall } = wordsOf("openai-completions")

export const start = (): ScriptedModel => {
  const requests: Array<ModelRequest> = []
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (raw) => {
      const request = read(await raw.json())
      requests.push(request)
      const call = callOf(request)
      const body =
        call === undefined
          ? [begin, openText, say("OK."), finish]
          : [begin, toolCall(0, `call_${requests.length}`, call.tool, call.args), finishTools]
      return new Response(body.join(""), { headers: { "content-type": "text/event-stream" } })
    }
  })
  return { baseUrl: `http://127.0.0.1:${server.port}/v1`, requests, stop: () => void server.stop(true) }
}
