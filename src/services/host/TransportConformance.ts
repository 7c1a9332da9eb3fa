/** Checks that every Transport must pass. A check is given a Transport and the host at its other end. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Transport } from "./Transport.ts"

export class NotConforming extends Schema.TaggedError<NotConforming>()("NotConforming", { message: Schema.String }) {}

/** The other end of the pipe, for a test. */
export interface Host {
  readonly send: (bytes: Uint8Array) => Effect.Effect<void>
  /** Waits until so many bytes have come since the start, and returns all of them. */
  readonly receive: (length: number) => Effect.Effect<Uint8Array>
  /** Closes both directions. */
  readonly close: Effect.Effect<void>
}

export interface Ends {
  readonly transport: typeof Transport.Service
  readonly host: Host
}

export interface Check {
  readonly name: string
  readonly run: (ends: Ends) => Effect.Effect<void, NotConforming>
}

const expect = (holds: boolean, message: string) => (holds ? Effect.void : new NotConforming({ message }))

const readToEnd = Effect.fnUntraced(function* ({ input }: typeof Transport.Service) {
  const decoder = new TextDecoder()
  let text = ""
  for (let done = false; !done;) {
    const [chunks, isLast] = yield* input.takeAll
    for (const chunk of chunks) text += decoder.decode(chunk, { stream: true })
    done = isLast
  }
  return text
})

const line = (n: number) => `{"n":${n},"text":"é€😀"}\n`
const lines = (count: number) => Array.from({ length: count }, (_, n) => line(n)).join("")
const bytesOf = (text: string) => new TextEncoder().encode(text)

/** A prime, so that characters are cut in two. */
const pieceBytes = 997

export const checks: ReadonlyArray<Check> = [
  {
    name: "what the host sends arrives whole and in order, and the input ends with the host",
    run: Effect.fnUntraced(function* ({ host, transport }) {
      const sent = lines(2000)
      const bytes = bytesOf(sent)
      const send = Effect.gen(function* () {
        for (let at = 0; at < bytes.length; at += pieceBytes) yield* host.send(bytes.subarray(at, at + pieceBytes))
        yield* host.close
      })
      const [text] = yield* Effect.zip(readToEnd(transport), send, { concurrent: true })
      yield* expect(text === sent, `${text.length} of ${sent.length} characters arrived as they were sent`)
    })
  },
  {
    name: "what is written reaches the host whole and in order",
    run: Effect.fnUntraced(function* ({ host, transport }) {
      const written = [lines(10), lines(50_000), lines(1)]
      const wanted = bytesOf(written.join(""))
      const write = Effect.forEach(written, transport.write, { discard: true })
      const [received] = yield* Effect.zip(host.receive(wanted.length), Effect.either(write), { concurrent: true })
      const isSame = received.length === wanted.length && received.every((byte, at) => byte === wanted[at])
      yield* expect(isSame, `${received.length} of ${wanted.length} bytes arrived as they were written`)
    })
  },
  {
    name: "a write fails when the host is gone",
    run: Effect.fnUntraced(function* ({ host, transport }) {
      yield* host.close
      yield* readToEnd(transport)
      // The first writes may find room in a buffer of the system.
      const write = Effect.repeat(Effect.zipRight(transport.gather, transport.write(line(0))), { times: 10_000 })
      const written = yield* Effect.either(write)
      yield* expect(written._tag === "Left", "10000 writes succeeded after the host had closed its side")
    })
  }
]
