/** A provider that answers itself, known when its factory has waited for something. */
import type { Api, Message } from "../Pi.ts"

interface Model {
  readonly id: string
  readonly provider: string
  readonly api: string
}

const zero = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
const usage = { ...zero, totalTokens: 0, cost: { ...zero, total: 0 } }

async function* events(message: object, text: string) {
  yield { type: "start", partial: message }
  yield { type: "text_start", contentIndex: 0, partial: message }
  yield { type: "text_delta", contentIndex: 0, delta: text, partial: message }
  yield { type: "text_end", contentIndex: 0, content: text, partial: message }
  yield { type: "done", reason: "stop", message }
}

const streamSimple = ({ api, id, provider }: Model, context: { readonly messages: ReadonlyArray<Message> }) => {
  const text = `own answer to ${context.messages.map(({ role }) => role).join(" ")}`
  const content = [{ type: "text", text }]
  const message = { role: "assistant", content, api, provider, model: id, usage, stopReason: "stop", timestamp: 1 }
  return Object.assign(events(message, text), { result: async () => message })
}

const model = (id: string) => ({
  id,
  name: id,
  reasoning: false,
  input: ["text"],
  cost: zero,
  contextWindow: 1000,
  maxTokens: 100
})

export default async (pi: Api): Promise<void> => {
  await new Promise((resolve) => setTimeout(resolve, 20))
  pi.registerProvider("ours", {
    baseUrl: "http://127.0.0.1:9",
    apiKey: "k",
    api: "own",
    models: [model("m1")],
    streamSimple
  })
}
