/** Answers that are no stream of events, compressed ones that are not what they say, and odd statuses. */
import { gzipSync } from "node:zlib"
import type { HostileCase } from "../HostileCase.ts"
import { bomb, chunked, type Encoding, filled, good, type Step, whole, wordsOf } from "../Wire.ts"

const answer = (name: string, ends: HostileCase["ends"], steps: () => Array<Step>): HostileCase => ({
  name,
  ends,
  steps
})

const json = { "content-type": "application/json" }
const deep = `{"error":${'{"error":'.repeat(50_000)}1${"}".repeat(50_000)}}`

const wrongType: ReadonlyArray<HostileCase> = [
  answer("empty-200", "error", () => whole(200, "")),
  answer("page-200", "error", () => whole(200, "<html><title>hi</title></html>", { "content-type": "text/html" })),
  answer("page-502", "error", () => whole(502, "<html><title>bad</title></html>", { "content-type": "text/html" })),
  answer("json-200", "error", () => whole(200, '{"choices":[{"message":{"content":"whole"}}]}', json)),
  answer("image-200", "error", () => whole(200, Buffer.alloc(5000, 0x89), { "content-type": "image/png" })),
  {
    name: "stream-as-octets",
    ends: "answer",
    steps: ({ api }) => {
      const { finish, openText, start, text } = wordsOf(api)
      return chunked([start, openText, text("fine"), finish], { "content-type": "application/octet-stream" })
    }
  },
  {
    name: "huge-json",
    ends: "error",
    large: true,
    steps: ({ bytes }) => chunked(filled('{"a":1},', bytes), json)
  }
]

const statuses: ReadonlyArray<HostileCase> = [
  ...[204, 304, 306, 400, 401, 418, 429, 500, 503, 599, 600, 999].map((status) =>
    answer(`status-${status}`, "error", () => whole(status, status === 204 || status === 304 ? "" : "no", json))
  ),
  answer("deep-error", "error", () => whole(400, deep, json)),
  answer("odd-error", "error", () => whole(400, '{"error":{"message":{"a":1},"code":[],"type":7}}', json)),
  answer("retry-after-absurd", "error", () => whole(429, "{}", { ...json, "retry-after": "1e308" })),
  answer("retry-after-negative", "error", () => whole(429, "{}", { ...json, "retry-after": "-5" })),
  answer("slow-patterns", "error", () =>
    whole(500, `<html>${"<script ".repeat(8000)}${"input token count".repeat(3000)}`, { "content-type": "text/html" })
  ),
  {
    name: "endless-error",
    ends: "error",
    large: true,
    steps: ({ bytes }) => chunked(filled("error ", bytes), { "content-type": "text/plain" }, 500)
  },
  {
    name: "endless-error-json",
    ends: "error",
    large: true,
    steps: ({ bytes }) => chunked(filled('{"error":{"message":"', bytes), json, 400)
  }
]

const encodings: ReadonlyArray<Encoding> = ["gzip", "br", "zstd"]

const bombs = encodings.flatMap((encoding): ReadonlyArray<HostileCase> => {
  const packed = { "content-encoding": encoding }
  const of = (text: string, status: number) => ({
    ends: "error" as const,
    large: true as const,
    steps: ({ bytes }: { readonly bytes: number }) => chunked(bomb(encoding, text, bytes), packed, status)
  })
  return [
    { name: `${encoding}-bomb`, ...of("\0", 200) },
    { name: `${encoding}-bomb-of-comments`, ...of(": ping\n", 200) },
    { name: `${encoding}-bomb-error`, ...of("\0", 500) }
  ]
})

const packed = (data: Uint8Array, headers: Readonly<Record<string, string>>) =>
  whole(200, data, { "content-type": "text/event-stream", ...headers })

const compressed: ReadonlyArray<HostileCase> = [
  answer("not-gzip", "error", () => packed(Buffer.from("data: {}\n\n"), { "content-encoding": "gzip" })),
  answer("cut-gzip", "error", () =>
    packed(gzipSync(Buffer.alloc(100_000, "data: {}\n\n")).subarray(0, 60), { "content-encoding": "gzip" })
  ),
  answer("gzip-twice", "error", () => packed(gzipSync(gzipSync("data: {}\n\n")), { "content-encoding": "gzip, gzip" })),
  answer("unknown-encoding", "error", () => packed(Buffer.from("data: {}\n\n"), { "content-encoding": "wool" })),
  { name: "good-after-all", ends: "answer", steps: ({ api }) => good(api) }
]

export const cases: ReadonlyArray<HostileCase> = [...wrongType, ...statuses, ...bombs, ...compressed]
