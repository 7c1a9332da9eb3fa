/**
 * A model server on 127.0.0.1 that plays prepared answers over plain TCP, so that a test decides about every byte:
 * where a chunk is cut, when the connection breaks, how long nothing comes.
 */
import type { Socket } from "node:net"
import { Deferred, Effect, Mailbox, type Scope } from "effect"
import { listen, type SocketRequest } from "./Sockets.ts"

export type Part =
  | string
  /** Nothing more is sent; the connection stays open. */
  | { readonly _tag: "Hold" }
  /** The connection is cut without the end of the body. */
  | { readonly _tag: "Cut" }
  /** Waits until the test completes it. */
  | { readonly _tag: "Until"; readonly go: Deferred.Deferred<void> }

export const hold: Part = { _tag: "Hold" }
export const cut: Part = { _tag: "Cut" }

export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Each part of a stream is a chunk of its own. */
  readonly parts: ReadonlyArray<Part>
}

export interface ReceivedRequest extends Omit<SocketRequest, "body"> {
  readonly body: unknown
  /** Completes when the client ends the connection. */
  readonly closed: Deferred.Deferred<void>
}

export interface LoopbackModel {
  readonly baseUrl: string
  readonly requests: Mailbox.ReadonlyMailbox<ReceivedRequest>
  readonly openSockets: () => number
}

export const sse = (...parts: ReadonlyArray<Part>): Answer => ({
  headers: { "content-type": "text/event-stream" },
  parts
})

export const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  parts: [JSON.stringify(body)]
})

export const page = (status: number, html: string): Answer => ({
  status,
  headers: { "content-type": "text/html; charset=utf-8" },
  parts: [html]
})

const headOf = (answer: Answer) =>
  [
    `HTTP/1.1 ${answer.status ?? 200} X`,
    ...Object.entries(answer.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    "transfer-encoding: chunked",
    "",
    ""
  ].join("\r\n")

const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

const write = (socket: Socket, text: string) =>
  Effect.async<void>((resume) => void socket.write(text, () => resume(Effect.void)))

const play = Effect.fnUntraced(function* (socket: Socket, answer: Answer) {
  yield* write(socket, headOf(answer))
  for (const part of answer.parts) {
    if (typeof part === "string") {
      if (part !== "") yield* write(socket, chunk(part))
    } else if (part._tag === "Until") yield* Deferred.await(part.go)
    else if (part._tag === "Hold") return
    else return void socket.destroy()
  }
  yield* write(socket, "0\r\n\r\n")
})

/** Answers requests in order, the last answer again and again. */
export const make = (...answers: ReadonlyArray<Answer>): Effect.Effect<LoopbackModel, never, Scope.Scope> =>
  Effect.suspend(() => {
    let served = 0
    return serve(() => answers[Math.min(served++, answers.length - 1)])
  })

/** Answers each request as it is, for tests that cannot know how many come before it. */
export const serve = (
  answerTo: (request: ReceivedRequest) => Answer | undefined
): Effect.Effect<LoopbackModel, never, Scope.Scope> =>
  Effect.gen(function* () {
    const requests = yield* Mailbox.make<ReceivedRequest>()
    const { open, origin } = yield* listen((socket, request) => {
      const closed = Deferred.unsafeMake<void>(Effect.runSync(Effect.fiberId))
      socket.once("close", () => Deferred.unsafeDone(closed, Effect.void))
      const received = { ...request, body: JSON.parse(request.body), closed }
      requests.unsafeOffer(received)
      const answer = answerTo(received)
      if (answer !== undefined) Effect.runFork(play(socket, answer))
    })
    return { baseUrl: origin, requests, openSockets: open }
  })
