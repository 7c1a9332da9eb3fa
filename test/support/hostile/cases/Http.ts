/** Servers that break the rules of HTTP or of the connection. */
import type { HostileCase } from "../HostileCase.ts"
import { chunk, head, repeat, type Step, type Steps, wordsOf, type Words } from "../Wire.ts"

const raw = (name: string, ends: HostileCase["ends"], steps: (words: Words, bytes: number) => Steps): HostileCase => ({
  name,
  ends,
  steps: ({ api, bytes }) => steps(wordsOf(api), bytes)
})

const chunkedHead = head(200, { "content-type": "text/event-stream", "transfer-encoding": "chunked" })
const lengthHead = (length: string) => head(200, { "content-type": "text/event-stream", "content-length": length })

const begun = ({ openText, start, text }: Words): Array<Step> => [chunkedHead, chunk(start + openText + text("so"))]

/** Not all at once: a server that drips looks busy. */
async function* slowly(text: string, everyMs: number): AsyncGenerator<Step> {
  yield chunkedHead
  while (true) {
    await new Promise((resolve) => setTimeout(resolve, everyMs))
    yield chunk(text)
  }
}

const broken: ReadonlyArray<HostileCase> = [
  raw("no-http", "error", () => ["SSH-2.0-OpenSSH_9.6\r\n", "half-close!"]),
  raw("nothing-at-all", "error", () => ["half-close!"]),
  raw("cut-at-once", "error", () => ["cut!"]),
  raw("cut-in-head", "error", () => ["HTTP/1.1 200 OK\r\ncontent-ty", "cut!"]),
  raw("cut-in-event", "error", (words) => [...begun(words), chunk("data: {"), "cut!"]),
  raw("half-closed", "error", (words) => [...begun(words), "half-close!"]),
  raw("bad-chunk-size", "error", (words) => [...begun(words), "zzz\r\nhello\r\n"]),
  raw("negative-chunk-size", "error", (words) => [...begun(words), "-5\r\nhello\r\n"]),
  raw("huge-chunk-size", "error", (words) => [...begun(words), "ffffffffffffffffffff\r\nhello\r\n", "half-close!"]),
  raw("short-body", "error", (words) => [lengthHead("100000"), words.start, "half-close!"]),
  raw("long-body", "either", (words) => [lengthHead("5"), words.start + words.finish]),
  raw("absurd-length", "error", () => [lengthHead("99999999999999999999999"), "data: {}\n\n", "half-close!"]),
  raw("negative-length", "error", () => [lengthHead("-1"), "data: {}\n\n", "half-close!"]),
  raw("two-lengths", "either", ({ start }) => [
    "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 500\r\n\r\n",
    start,
    "half-close!"
  ])
]

const floods: ReadonlyArray<HostileCase> = [
  {
    ...raw("many-headers", "error", (_, bytes) => headFlood("x-a: b\r\n".repeat(1000), bytes)),
    large: true
  },
  {
    ...raw("endless-header", "error", (_, bytes) => headFlood("a".repeat(8000), bytes)),
    large: true
  },
  {
    ...raw("endless-continue", "error", function* (_, bytes) {
      yield* repeat("HTTP/1.1 100 Continue\r\n\r\n".repeat(100), Math.ceil(bytes / 2500))
      yield "half-close!"
    }),
    large: true
  },
  {
    ...raw("endless-chunk-extension", "error", function* (_, bytes) {
      yield chunkedHead
      yield "5;"
      yield* repeat("a".repeat(8000), Math.ceil(bytes / 8000))
      yield "half-close!"
    }),
    large: true
  },
  {
    ...raw("endless-trailers", "either", function* ({ openText, start, text, finish }, bytes) {
      yield chunkedHead
      yield chunk(start + openText + text("done") + finish)
      yield "0\r\n"
      yield* repeat("x-a: b\r\n".repeat(1000), Math.ceil(bytes / 8000))
    }),
    large: true
  }
]

function* headFlood(part: string, bytes: number): Generator<Step> {
  yield "HTTP/1.1 200 OK\r\nx-first: "
  yield* repeat(part, Math.ceil(bytes / part.length))
  yield "half-close!"
}

const slow: ReadonlyArray<HostileCase> = [
  raw("never-answers", "abort", () => ["hold!"]),
  raw("never-ends-head", "abort", () => ["HTTP/1.1 200 OK\r\n", "hold!"]),
  raw("never-says-more", "abort", (words) => [...begun(words), "hold!"]),
  raw("never-ends-error", "abort", () => [head(500, { "transfer-encoding": "chunked" }), chunk("so "), "hold!"]),
  raw("drips-comments", "abort", () => slowly(": alive\n\n", 20)),
  raw("drips-a-line", "abort", () => slowly("x", 20))
]

export const cases: ReadonlyArray<HostileCase> = [...broken, ...floods, ...slow]
