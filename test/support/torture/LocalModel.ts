/** Servers on 127.0.0.1: a model that uses tools and then answers, in three APIs, and a trap that nobody should call. */
import { type Api, wordsOf } from "../hostile/Wire.ts"

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

export interface Call {
  readonly name: string
  readonly arguments: object
}

const apiOf = (path: string): Api => {
  if (path.endsWith("/messages")) return "anthropic-messages"
  return path.endsWith("/responses") ? "openai-responses" : "openai-completions"
}

const stream = (api: Api, calls: ReadonlyArray<Call>) => {
  const { finish, finishTools, openText, start, text, toolCall } = wordsOf(api)
  const asks = calls.map((call, index) => toolCall(index, `call_${index}`, call.name, JSON.stringify(call.arguments)))
  const body = calls.length === 0 ? [start, openText, text("done"), finish] : [start, ...asks, finishTools]
  return new Response(body.join(""), { headers: { "content-type": "text/event-stream" } })
}

/** The first call of a conversation asks for the tools, the next one has their results and gets the answer. */
export const model = (calls: ReadonlyArray<Call>, fails = false): Server =>
  serve(({ body, path }) => {
    if (fails) return new Response('{"error":{"type":"invalid_request_error","message":"no"}}', { status: 400 })
    const hasResults = /"tool_result"|"function_call_output"|"role":"tool"/.test(body)
    return stream(apiOf(path), hasResults ? [] : calls)
  })
