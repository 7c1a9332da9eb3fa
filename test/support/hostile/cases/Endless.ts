/** Streams that are well-formed and do not end: each event is one that a model may send. */
import type { HostileCase } from "../HostileCase.ts"
import { chunked, filled, type Words, wordsOf } from "../Wire.ts"

function* counted(part: (n: number) => string, bytes: number): Generator<string> {
  let n = 0
  for (let sent = 0; sent < bytes;) {
    let piece = ""
    while (piece.length < 65_536) piece += part(n++)
    sent += piece.length
    yield piece
  }
}

const endless = (name: string, parts: (words: Words, bytes: number) => Iterable<string | Uint8Array>): HostileCase => ({
  name,
  ends: "error",
  large: true,
  steps: ({ api, bytes }) => chunked(parts(wordsOf(api), bytes))
})

function* begun({ openText, start }: Words, rest: Iterable<string | Uint8Array>) {
  yield start + openText
  yield* rest
}

/** One tool call that is never over. */
function* callArguments({ moreArguments, openCall }: Words, first: string, more: string, bytes: number) {
  yield openCall(1, "call_1", "read") + moreArguments(1, first)
  yield* filled(moreArguments(1, more), bytes)
}

export const cases: ReadonlyArray<HostileCase> = [
  endless("endless-line", (_, bytes) => filled("a", bytes)),
  endless("endless-data-lines", (_, bytes) => filled("data: a\n", bytes)),
  endless("endless-comments", (_, bytes) => filled(": ping\n", bytes)),
  endless("endless-empty-events", (_, bytes) => filled("\n\n", bytes)),
  endless("endless-pings", (words, bytes) => begun(words, filled('event: ping\ndata: {"type":"ping"}\n\n', bytes))),
  endless("endless-text", (words, bytes) => begun(words, filled(words.text("word "), bytes))),
  endless("endless-long-text", (words, bytes) => begun(words, filled(words.text("word ".repeat(2000)), bytes))),
  endless("endless-starts", (words, bytes) => filled(words.start, bytes)),
  endless("endless-calls", (words, bytes) =>
    begun(
      words,
      counted((n) => words.toolCall(n + 1, `call_${n}`, "read", "{}"), bytes)
    )
  ),
  endless("endless-arguments", (words, bytes) => begun(words, callArguments(words, '{"a":"', "word ", bytes))),
  endless("endless-deep-arguments", (words, bytes) => begun(words, callArguments(words, "[", "[1,", bytes))),
  endless("endless-open-blocks", (words, bytes) =>
    begun(
      words,
      counted(
        (n) =>
          words.raw({ type: "content_block_start", index: n, content_block: { type: "text", text: "" } }) +
          words.raw({ choices: [{ index: 0, delta: { tool_calls: [{ index: n, function: { arguments: "1" } }] } }] }),
        bytes
      )
    )
  ),
  endless("endless-signature", (words, bytes) =>
    begun(
      words,
      filled(
        words.raw({ type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "abcdef" } }),
        bytes
      )
    )
  ),
  endless("one-huge-event", (words, bytes) => {
    const [before = "", after = ""] = words.text("|").split("|")
    return (function* () {
      yield words.start + words.openText + before
      yield* filled("a", bytes)
      yield after
    })()
  })
]
