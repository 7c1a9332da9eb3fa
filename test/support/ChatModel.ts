/**
 * A chat-completions server on 127.0.0.1 that a prompt directs line by line: `CALL <tool> <json>` asks for that tool,
 * `COUNT <n>` streams numbers, `HANG` begins an answer that never ends. Everything else gets "OK.".
 */
import { wordsOf } from "./hostile/Wire.ts"
import { at, list, text } from "../compat/host/Frames.ts"

export interface ModelRequest {
  readonly system: string
  readonly tools: ReadonlyArray<string>
  readonly messages: ReadonlyArray<{ readonly role: string; readonly text: string }>
  readonly body: unknown
}

export interface ChatModel {
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
    messages: messages.filter(({ role }) => !isInstruction(role)),
    body
  }
}

/** What was said since the model last answered. */
const unanswered = ({ messages }: ModelRequest) => {
  const answered = messages.findLastIndex(({ role }) => role === "assistant" || role === "tool")
  return messages
    .slice(answered + 1)
    .map(({ text: said }) => said)
    .join("\n")
}

const { finish, finishTools, openText, start: begin, text: say, toolCall } = wordsOf("openai-completions")

const pause = () => new Promise((resolve) => setTimeout(resolve, 2))

async function* answer(request: ModelRequest, number: number): AsyncGenerator<string, void> {
  const said = unanswered(request)
  const calls = [...said.matchAll(/^CALL (\S+) (.+)$/gm)]
  yield begin
  if (calls.length > 0) {
    for (const [index, [, tool = "", args = ""]] of calls.entries()) {
      yield toolCall(index, `call_${number}_${index}`, tool, args)
    }
    yield finishTools
    return
  }
  yield openText
  if (/^HANG$/m.test(said)) await new Promise(() => {})
  const count = Number(/^COUNT (\d+)$/m.exec(said)?.[1] ?? 0)
  for (let n = 1; n <= count; n++) {
    await pause()
    yield say(`${n} `)
  }
  yield say("OK.")
  yield finish
}

const stream = (parts: AsyncGenerator<string, void>) =>
  new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await parts.next()
      if (done === true || typeof value !== "string") controller.close()
      else controller.enqueue(new TextEncoder().encode(value))
    }
  })

export const start = (): ChatModel => {
  const requests: Array<ModelRequest> = []
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: async (raw) => {
      const request = read(await raw.json())
      const number = requests.push(request)
      return new Response(stream(answer(request, number)), { headers: { "content-type": "text/event-stream" } })
    }
  })
  return { baseUrl: `http://127.0.0.1:${server.port}/v1`, requests, stop: () => void server.stop(true) }
}
