/** Streams that arrive whole and make no sense: broken JSON, wrong forms, wrong order, the same ids again. */
import type { HostileCase } from "../HostileCase.ts"
import { chunked, type Words, wordsOf } from "../Wire.ts"

const stream = (
  name: string,
  ends: HostileCase["ends"],
  parts: (words: Words) => ReadonlyArray<string | Uint8Array>
): HostileCase => ({ name, ends, steps: ({ api }) => chunked(parts(wordsOf(api))) })

const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels)
const deepObject = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`

const cut = (text: string) => text.slice(0, Math.floor(text.length / 2))

const badUtf8 = Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0x20, 0xff, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0x0a, 0x0a])

const malformed: ReadonlyArray<HostileCase> = [
  stream("not-json", "error", ({ raw }) => [raw("{oops")]),
  stream("half-json", "error", ({ openText, start, text }) => [start, openText, cut(text("never complete")), "\n\n"]),
  stream("json-number", "error", ({ raw }) => [raw("42")]),
  stream("json-null", "error", ({ raw }) => [raw("null")]),
  stream("json-array", "error", ({ raw, start }) => [start, raw("[1,2]")]),
  stream("deep-json", "error", ({ raw }) => [raw(deep(1_000_000))]),
  stream("deep-arguments", "either", ({ finishTools, start, toolCall }) => [
    start,
    toolCall(0, "call_1", "read", deepObject(400)),
    finishTools
  ]),
  stream("invalid-utf8", "error", () => [badUtf8]),
  stream("garbage", "error", () => [Buffer.from(Array.from({ length: 5000 }, (_, n) => (n * 7919) % 256))]),
  stream("lone-surrogates", "answer", ({ finish, openText, start, text }) => [
    start,
    openText,
    text("x").replace('"x"', String.raw`"\ud83d \u0000 \udfff"`),
    finish
  ]),
  stream("error-event", "error", () => ['event: error\ndata: {"type":"error","error":{"message":"no"}}\n\n'])
]

const confused: ReadonlyArray<HostileCase> = [
  stream("finish-first", "either", ({ finish }) => [finish]),
  stream("delta-first", "either", ({ finish, text }) => [text("early"), finish]),
  stream("everything-twice", "either", ({ finish, openText, start, text }) => [
    start,
    openText,
    text("a"),
    finish,
    start,
    openText,
    text("b"),
    finish
  ]),
  stream("same-ids", "either", ({ finishTools, start, toolCall }) => [
    start,
    toolCall(0, "call_1", "read", '{"path":"nowhere-1"}'),
    toolCall(1, "call_1", "read", '{"path":"nowhere-2"}'),
    toolCall(2, "call_1", "read", '{"path":"nowhere-3"}'),
    finishTools
  ]),
  stream("same-index", "either", ({ finishTools, start, toolCall }) => [
    start,
    toolCall(0, "call_1", "read", '{"path":"nowhere-1"}'),
    toolCall(0, "call_2", "read", '{"path":"nowhere-2"}'),
    finishTools
  ]),
  stream("odd-names", "either", ({ finishTools, start, toolCall }) => [
    start,
    toolCall(0, null, null, "null"),
    toolCall(-1, 5, { a: 1 }, "[]"),
    toolCall(1e308, "", "__proto__", '{"__proto__":{"x":1},"constructor":1}'),
    toolCall(3, "x".repeat(100_000), "y".repeat(100_000), '{"a":'),
    finishTools
  ]),
  stream("nothing-but-unknown", "error", ({ raw }) => [raw({ type: "surprise" }), raw({}), raw({ choices: "none" })]),
  stream("odd-fields", "either", ({ raw, start }) => [
    start,
    raw({ type: "content_block_start", index: "zero", content_block: { type: "text", text: 5 } }),
    raw({ type: "content_block_delta", index: "zero", delta: { type: "text_delta", text: { a: 1 } } }),
    raw({ type: "message_delta", delta: {}, usage: { output_tokens: "many", input_tokens: -1e308 } }),
    raw({ choices: [{ delta: { content: 7, tool_calls: [null, 1, { index: {} }] } }], usage: { prompt_tokens: "x" } })
  ]),
  stream("null-fields", "either", ({ raw }) => [
    raw({ type: "message_start", message: null }),
    raw({ type: "content_block_start", index: null, content_block: null }),
    raw({ choices: [null] })
  ])
]

const unfinished: ReadonlyArray<HostileCase> = [
  stream("empty-stream", "error", () => []),
  stream("only-comments", "error", () => [": hello\n\n", ": still here\n\n"]),
  stream("no-finish", "error", ({ openText, start, text }) => [start, openText, text("and then")])
]

export const cases: ReadonlyArray<HostileCase> = [...malformed, ...confused, ...unfinished]
