/** Requests over plain TCP on 127.0.0.1, for servers that decide about every byte of what they answer. */
import { createServer, type Socket } from "node:net"
import { Effect, type Scope } from "effect"

export interface SocketRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Sockets {
  readonly origin: string
  readonly open: () => number
}

/** Undefined until all of the request has come. */
const parse = (text: string): SocketRequest | undefined => {
  const end = text.indexOf("\r\n\r\n")
  if (end < 0) return undefined
  const [first = "", ...lines] = text.slice(0, end).split("\r\n")
  const [method = "", path = ""] = first.split(" ")
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()])
  )
  const length = Number(headers["content-length"] ?? 0)
  const body = Buffer.from(text.slice(end + 4), "latin1")
  return body.length < length ? undefined : { method, path, headers, body: body.subarray(0, length).toString("utf8") }
}

export const listen = (
  onRequest: (socket: Socket, request: SocketRequest) => void
): Effect.Effect<Sockets, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    const server = createServer((socket) => {
      let text = ""
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on("error", () => undefined)
      socket.on("close", () => sockets.delete(socket))
      socket.on("data", (data) => {
        text += data.toString("latin1")
        const request = parse(text)
        if (request === undefined) return
        text = ""
        onRequest(socket, request)
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
    const port = typeof address === "object" && address !== null ? address.port : 0
    return { origin: `http://127.0.0.1:${port}`, open: () => sockets.size }
  })
