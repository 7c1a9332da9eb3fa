/** What hostile servers say, byte by byte: heads, bodies, and the events of three APIs. */
import { brotliCompressSync, createBrotliCompress, gzipSync, zstdCompressSync } from "node:zlib"

export type Api = "anthropic-messages" | "openai-completions" | "openai-responses"

/** A step of an answer: bytes, or something that is done to the connection. */
export type Step =
  | string
  | Uint8Array
  /** Waits until the client goes. */
  | "hold!"
  /** Resets the connection. */
  | "cut!"
  /** Sends FIN and reads on. */
  | "half-close!"

export type Steps = Iterable<Step> | AsyncIterable<Step>

export const head = (status: number, headers: Readonly<Record<string, string>> = {}) =>
  [`HTTP/1.1 ${status} X`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), "", ""].join("\r\n")

export const chunk = (data: string | Uint8Array): Uint8Array => {
  const bytes = typeof data === "string" ? Buffer.from(data) : data
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")])
}

const eventStream = { "content-type": "text/event-stream", "transfer-encoding": "chunked" }

export async function* chunked(
  parts: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  headers: Readonly<Record<string, string>> = {},
  status = 200
): AsyncGenerator<Step> {
  yield head(status, { ...eventStream, ...headers })
  for await (const part of parts) if (part.length > 0) yield chunk(part)
  yield "0\r\n\r\n"
}

/** An answer that is sent at once, with its length. */
export const whole = (
  status: number,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {}
): Array<Step> => {
  const bytes = typeof body === "string" ? Buffer.from(body) : body
  return [head(status, { "content-length": String(bytes.length), ...headers }), bytes]
}

export function* repeat<A extends string | Uint8Array>(part: A, times: number): Generator<A> {
  for (let n = 0; n < times; n++) yield part
}

const kilobytes64 = 64 * 1024

/** About `bytes` of a text that repeats itself, in pieces of 64 KB. */
export const filled = (text: string, bytes: number) => {
  const piece = Buffer.from(text.repeat(Math.max(1, Math.floor(kilobytes64 / Buffer.byteLength(text)))))
  return repeat(piece, Math.ceil(bytes / piece.length))
}

export type Encoding = "gzip" | "br" | "zstd"

const bombPiece = 32 * 1024 * 1024

/** A body of `bytes` times the same text, compressed to next to nothing. */
export async function* bomb(encoding: Encoding, text: string, bytes: number): AsyncGenerator<Uint8Array> {
  const size = Math.min(bombPiece, bytes)
  const piece = Buffer.alloc(size, text)
  const times = Math.ceil(bytes / size)
  if (encoding === "gzip") return yield* repeat(gzipSync(piece), times)
  if (encoding === "zstd") return yield* repeat(zstdCompressSync(piece), times)
  if (times === 1) return yield brotliCompressSync(piece)
  // Brotli streams cannot be put one after the other.
  const stream = createBrotliCompress({ params: { 1: 4 } })
  const feed = async () => {
    for (let n = 0; n < times; n++) await new Promise((resolve) => stream.write(piece, resolve))
    stream.end()
  }
  const fed = feed()
  for await (const part of stream) if (part instanceof Uint8Array) yield part
  await fed
}

const event = (data: unknown, name?: string) =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`

/** Events of one API, well-formed unless the caller wants otherwise. */
export interface Words {
  readonly raw: (data: unknown) => string
  readonly start: string
  readonly openText: string
  readonly text: (delta: string) => string
  /** Everything after the text of a complete answer. */
  readonly finish: string
  readonly openCall: (index: number, id: unknown, name: unknown) => string
  readonly moreArguments: (index: number, args: string) => string
  /** A whole call. */
  readonly toolCall: (index: number, id: unknown, name: unknown, args: string) => string
  /** The end of an answer that asks for tools. */
  readonly finishTools: string
}

const typed = (type: string, members: object = {}) => event({ type, ...members }, type)

const anthropicEnd = (reason: string) =>
  typed("message_delta", { delta: { stop_reason: reason }, usage: { output_tokens: 3 } }) + typed("message_stop")

const openIndex = (index: number, block: object) => typed("content_block_start", { index, content_block: block })
const deltaOf = (index: number, delta: object) => typed("content_block_delta", { index, delta })
const close = (index: number) => typed("content_block_stop", { index })

const openUse = (index: number, id: unknown, name: unknown) =>
  openIndex(index, { type: "tool_use", id, name, input: {} })
const addToUse = (index: number, json: string) => deltaOf(index, { type: "input_json_delta", partial_json: json })

const anthropic: Words = {
  raw: (data) => event(data, "content_block_delta"),
  start: typed("message_start", {
    message: { id: "msg_1", type: "message", role: "assistant", content: [], usage: { input_tokens: 1 } }
  }),
  openText: openIndex(0, { type: "text", text: "" }),
  text: (text) => deltaOf(0, { type: "text_delta", text }),
  finish: close(0) + anthropicEnd("end_turn"),
  openCall: (index, id, name) => close(0) + openUse(index, id, name),
  moreArguments: addToUse,
  toolCall: (index, id, name, args) => openUse(index, id, name) + addToUse(index, args) + close(index),
  finishTools: anthropicEnd("tool_use")
}

const choice = (delta: object, finish: string | null = null) =>
  event({ id: "c1", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] })

const chat: Words = {
  raw: (data) => event(data),
  start: choice({ role: "assistant", content: "" }),
  openText: "",
  text: (content) => choice({ content }),
  finish: `${choice({}, "stop")}data: [DONE]\n\n`,
  openCall: (index, id, name) => choice({ tool_calls: [{ index, id, type: "function", function: { name } }] }),
  moreArguments: (index, args) => choice({ tool_calls: [{ index, function: { arguments: args } }] }),
  toolCall: (index, id, name, args) =>
    choice({ tool_calls: [{ index, id, type: "function", function: { name, arguments: args } }] }),
  finishTools: `${choice({}, "tool_calls")}data: [DONE]\n\n`
}

const responseWith = (more: object) => ({
  response: { id: "resp_1", object: "response", output: [], usage: null, ...more }
})
const responseEnd = typed("response.completed", responseWith({ status: "completed" }))
const functionCall = (id: unknown, name: unknown, args: string) => ({
  type: "function_call",
  id: "fc",
  call_id: id,
  name,
  arguments: args
})
const openFunction = (index: number, id: unknown, name: unknown) =>
  typed("response.output_item.added", { output_index: index, item: functionCall(id, name, "") })
const addToFunction = (index: number, delta: string) =>
  typed("response.function_call_arguments.delta", { output_index: index, item_id: "fc", delta })

const responses: Words = {
  raw: (data) => event(data),
  start: typed("response.created", responseWith({ status: "in_progress" })),
  openText: typed("response.output_item.added", {
    output_index: 0,
    item: { type: "message", id: "msg_1", role: "assistant", status: "in_progress", content: [] }
  }),
  text: (delta) => typed("response.output_text.delta", { output_index: 0, content_index: 0, item_id: "msg_1", delta }),
  finish: responseEnd,
  openCall: openFunction,
  moreArguments: addToFunction,
  toolCall: (index, id, name, args) =>
    openFunction(index, id, name) +
    addToFunction(index, args) +
    typed("response.output_item.done", { output_index: index, item: functionCall(id, name, args) }),
  finishTools: responseEnd
}

const words: Readonly<Record<Api, Words>> = {
  "anthropic-messages": anthropic,
  "openai-completions": chat,
  "openai-responses": responses
}

export const wordsOf = (api: Api): Words => words[api]

export const good = (api: Api, said = "all is well") => {
  const { finish, openText, start, text } = wordsOf(api)
  return chunked([start, openText, text(said), finish])
}
