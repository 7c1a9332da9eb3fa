/** Servers on 127.0.0.1: a model that uses tools and then answers, in three APIs, and a trap that nobody should call. */

export interface Request {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Server {
  readonly origin: string
  readonly requests: ReadonlyArray<Request>
  readonly stop: () => void
}

const serve = (answer: (request: Request) => Response): Server => {
  const requests: Array<Request> = []
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (raw) => {
      const request = { path: new URL(raw.url).pathname, headers: raw.headers.toJSON(), body: await raw.text() }
      requests.push(request)
      return answer(request)
    }
  })
  return { origin: `http://127.0.0.1:${server.port}`, requests, stop: () => void server.stop(true) }
}

/** Answers as an error, so that a program which calls it does not take it for its model. */
export const trap = (): Server => serve(() => new Response("trap", { status: 418 }))

const events = (list: ReadonlyArray<{ readonly type?: string }>) =>
  new Response(
    list
      .map((data) => `${data.type === undefined ? "" : `event: ${data.type}\n`}data: ${JSON.stringify(data)}\n\n`)
      .join(""),
    { headers: { "content-type": "text/event-stream" } }
  )

export interface Call {
  readonly name: string
  readonly arguments: object
}

const anthropic = (calls: ReadonlyArray<Call>) =>
  events([
    { type: "message_start", message: { id: "m", type: "message", role: "assistant", content: [], usage: { input_tokens: 1, output_tokens: 1 } } },
    ...(calls.length === 0
      ? [
          { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
          { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "done" } },
          { type: "content_block_stop", index: 0 }
        ]
      : calls.flatMap(({ arguments: input, name }, index) => [
          { type: "content_block_start", index, content_block: { type: "tool_use", id: `toolu_${index}`, name, input: {} } },
          { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: JSON.stringify(input) } },
          { type: "content_block_stop", index }
        ])),
    { type: "message_delta", delta: { stop_reason: calls.length === 0 ? "end_turn" : "tool_use" }, usage: { output_tokens: 1 } },
    { type: "message_stop" }
  ])

const responses = (calls: ReadonlyArray<Call>) => {
  const message = { id: "msg", type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", annotations: [], text: "done" }] }
  const items =
    calls.length === 0
      ? [message]
      : calls.map((call, index) => ({ id: `fc_${index}`, type: "function_call", status: "completed", call_id: `call_${index}`, name: call.name, arguments: JSON.stringify(call.arguments) }))
  const response = { id: "r", object: "response", status: "in_progress", output: [], usage: null }
  return events([
    { type: "response.created", response },
    ...items.flatMap((item, index) => [
      { type: "response.output_item.added", output_index: index, item: { ...item, ...(item.type === "message" ? { content: [] } : { arguments: "" }) } },
      ...(item.type === "message"
        ? [
            { type: "response.content_part.added", item_id: "msg", output_index: index, content_index: 0, part: { type: "output_text", annotations: [], text: "" } },
            { type: "response.output_text.delta", item_id: "msg", output_index: index, content_index: 0, delta: "done" }
          ]
        : []),
      { type: "response.output_item.done", output_index: index, item }
    ]),
    { type: "response.completed", response: { ...response, status: "completed", usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } } }
  ])
}

const chat = (calls: ReadonlyArray<Call>) => {
  const delta =
    calls.length === 0
      ? { content: "done" }
      : { tool_calls: calls.map((call, index) => ({ index, id: `call_${index}`, type: "function", function: { name: call.name, arguments: JSON.stringify(call.arguments) } })) }
  const chunk = (delta: object, finish_reason: string | null) => ({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] })
  return events([chunk({ role: "assistant", ...delta }, null), chunk({}, calls.length === 0 ? "stop" : "tool_calls")])
}

/** The first call of a conversation asks for the tools, the next one has their results and gets the answer. */
export const model = (calls: ReadonlyArray<Call>, fails = false): Server =>
  serve(({ body, path }) => {
    if (fails) return new Response('{"error":{"type":"invalid_request_error","message":"no"}}', { status: 400 })
    const asked = /"tool_result"|"function_call_output"|"role":"tool"/.test(body) ? [] : calls
    return path.endsWith("/messages") ? anthropic(asked) : path.endsWith("/responses") ? responses(asked) : chat(asked)
  })
