/**
 * A model server on 127.0.0.1 that misbehaves in the ways of HostileCases.ts. The first part of a path chooses the case:
 * `<origin>/<case>/…`, with `good` for a sound answer. Requests that reach `trap`, another origin, are kept: there
 * should be none.
 */
import type { Socket } from "node:net"
import { Effect, type Scope } from "effect"
import type { HostileCase } from "./HostileCase.ts"
import { cases } from "./HostileCases.ts"
import { listen, type SocketRequest } from "../Sockets.ts"
import { type Api, good, head, type Step, type Steps } from "./Wire.ts"

export interface HostileProvider {
  readonly origin: string
  /** What arrived at the case. */
  readonly received: (name: string) => ReadonlyArray<SocketRequest>
  /** The origin that redirects lead to, and what arrived there. */
  readonly trapOrigin: string
  readonly trapped: ReadonlyArray<SocketRequest>
  /** The contents of a models.json with a provider for each API, `hostile-anthropic`, `hostile-openai` and `hostile-responses`, and a model for each case. */
  readonly modelsFile: object
}

export interface HostileOptions {
  /** How much the endless and the huge cases send at most. */
  readonly bytes: number
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
    const received = new Map<string, Array<SocketRequest>>()
    const trapped: Array<SocketRequest> = []
    const byName = new Map<string, HostileCase>(cases.map((one) => [one.name, one]))
    const trap = yield* listen((socket, request) => {
      trapped.push(request)
      void play(socket, good(apiOf(request.path), "from the trap"))
    })
    const stepsOf = (request: SocketRequest): Steps => {
      const name = request.path.split("/")[1] ?? ""
      const before = received.get(name) ?? []
      received.set(name, [...before, request])
      const api = apiOf(request.path)
      if (name === "good" || afterTools.test(request.body)) return good(api)
      const { path } = request
      return byName.get(name)?.steps({ api, bytes, trap: trap.origin, path, nth: before.length }) ?? none
    }
    const { origin } = yield* listen((socket, request) => void play(socket, stepsOf(request)))
    return {
      origin,
      received: (name) => received.get(name) ?? [],
      trapOrigin: trap.origin,
      trapped,
      modelsFile: modelsFile(origin)
    }
  })
