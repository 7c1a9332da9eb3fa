/**
 * A model server on 127.0.0.1 that misbehaves in the ways of HostileCases.ts. The first part of a path chooses the case:
 * `<origin>/<case>/…`, with `good` for a sound answer. Requests that reach `trap`, another origin, are kept: there
 * should be none.
 */
import { createServer, type Server, type Socket } from "node:net"
import { Effect, type Scope } from "effect"
import type { HostileCase } from "./HostileCase.ts"
import { cases } from "./HostileCases.ts"
import { type Api, good, head, type Step, type Steps } from "./Wire.ts"

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface HostileProvider {
  readonly origin: string
  /** What arrived at the case. */
  readonly received: (name: string) => ReadonlyArray<Received>
  /** The origin that redirects lead to, and what arrived there. */
  readonly trapOrigin: string
  readonly trapped: ReadonlyArray<Received>
  /** The contents of a models.json with a provider for each API, `hostile-anthropic`, `hostile-openai` and `hostile-responses`, and a model for each case. */
  readonly modelsFile: object
}

export interface HostileOptions {
  /** How much the endless and the huge cases send at most. */
  readonly bytes: number
}

const parse = (text: string): Received | undefined => {
  const end = text.indexOf("\r\n\r\n")
  if (end < 0) return undefined
  const [first = "", ...lines] = text.slice(0, end).split("\r\n")
  const [method = "", path = ""] = first.split(" ")
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()])
  )
  const body = text.slice(end + 4)
  return body.length < Number(headers["content-length"] ?? 0) ? undefined : { method, path, headers, body }
}

const gone = (socket: Socket) => new Promise<void>((resolve) => void socket.once("close", () => resolve()))

/** Waits while the client does not read. */
const write = (socket: Socket, data: string | Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      socket.off("drain", done).off("close", done)
      resolve()
    }
    if (socket.write(data) || socket.destroyed) return resolve()
    socket.on("drain", done).on("close", done)
  })

const play = async (socket: Socket, steps: Steps): Promise<void> => {
  for await (const step of steps) {
    if (socket.destroyed) return
    if (step === "hold!") return gone(socket)
    if (step === "cut!") return void socket.resetAndDestroy()
    if (step === "half-close!") return void socket.end()
    await write(socket, step)
  }
}

type Answer = (request: Received) => Steps

const listen = (answerTo: Answer): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    const server: Server = createServer((socket) => {
      let text = ""
      sockets.add(socket)
      socket.on("error", () => undefined)
      socket.on("close", () => sockets.delete(socket))
      socket.on("data", (data) => {
        text += data.toString("latin1")
        const request = parse(text)
        if (request === undefined) return
        text = ""
        void play(socket, answerTo(request))
      })
    })
    yield* Effect.acquireRelease(
      Effect.async<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.sync(() => {
          for (const socket of sockets) socket.destroy()
          server.close()
        })
    )
    const address = server.address()
    return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
  })

const apiOf = (path: string): Api => {
  if (path.includes("/messages")) return "anthropic-messages"
  return path.includes("/responses") ? "openai-responses" : "openai-completions"
}

/** The tools of a case are answered: it has done what it can, and the run may end. */
const afterTools = /"tool_result"|"role":"tool"|"function_call_output"/

const none: Array<Step> = [head(404, { "content-length": "0" })]

export const key = "sk-hostile-0123456789abcdef"

const modelsFile = (origin: string) => {
  const provider = (api: Api) => ({
    baseUrl: `${origin}/good`,
    api,
    apiKey: key,
    models: ["good", ...cases.map(({ name }) => name)].map((id) => ({ id, baseUrl: `${origin}/${id}` }))
  })
  return {
    providers: {
      "hostile-anthropic": provider("anthropic-messages"),
      "hostile-openai": provider("openai-completions"),
      "hostile-responses": provider("openai-responses")
    }
  }
}

export const make = ({ bytes }: HostileOptions): Effect.Effect<HostileProvider, never, Scope.Scope> =>
  Effect.gen(function* () {
    const received = new Map<string, Array<Received>>()
    const trapped: Array<Received> = []
    const byName = new Map<string, HostileCase>(cases.map((one) => [one.name, one]))
    const trap = yield* listen((request) => {
      trapped.push(request)
      return good(apiOf(request.path), "from the trap")
    })
    const origin: string = yield* listen((request) => {
      const name = request.path.split("/")[1] ?? ""
      const before = received.get(name) ?? []
      received.set(name, [...before, request])
      const api = apiOf(request.path)
      if (name === "good" || afterTools.test(request.body)) return good(api)
      const { path } = request
      return byName.get(name)?.steps({ api, bytes, trap, path, nth: before.length }) ?? none
    })
    return {
      origin,
      received: (name) => received.get(name) ?? [],
      trapOrigin: trap,
      trapped,
      modelsFile: modelsFile(origin)
    }
  })
