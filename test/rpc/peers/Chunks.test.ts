import { assert, describe, it } from "@effect/vitest"
import { FastCheck, Schema } from "effect"
import * as Chunks from "../../../src/rpc/peers/Chunks.ts"
import { events } from "../../../src/rpc/protocol/EventSchemas.ts"
import * as ChunkReader from "../../support/host/ChunkReader.ts"
import type * as HostProcess from "../../support/host/HostProcess.ts"

const written = (...frames: ReadonlyArray<object>) => {
  const text = frames.map((frame) => `${JSON.stringify(frame)}\n`).join("")
  return [...Chunks.make()(text)].join("").split("\n").slice(0, -1)
}
const read = (lines: ReadonlyArray<string>) => lines.map(ChunkReader.make()).filter((frame) => frame !== undefined)

const fits = (frame: HostProcess.Frame | undefined) => {
  const found = events.filter(({ type }) => type === frame?.["type"])
  assert.strictEqual(found.length, 1)
  for (const { schema } of found) Schema.decodeUnknownSync(schema, { onExcessProperty: "error" })(frame)
}

/** A frame whose JSON has so many bytes. */
const ofBytes = (bytes: number, more: object = {}) => {
  const empty = JSON.stringify({ type: "note", ...more, text: "" })
  return { type: "note", ...more, text: "x".repeat(bytes - empty.length) }
}

const part = FastCheck.record({
  character: FastCheck.constantFrom("x", "é", "€", "😀", '"', "\u2028"),
  times: FastCheck.oneof(FastCheck.integer({ min: 0, max: 100 }), FastCheck.integer({ min: 0, max: 700_000 }))
})

describe("chunks", () => {
  it.prop(
    "a client of omp reads the frames that were written, in their order",
    [FastCheck.array(part, { minLength: 1, maxLength: 4 })],
    ([parts]) => {
      const frames = parts.map(({ character, times }, n) => ({ type: "note", n, text: character.repeat(times) }))
      const lines = written(...frames)
      assert.deepStrictEqual(read(lines), frames)
      for (const line of lines) assert.isAtMost(Buffer.byteLength(line) + 1, Chunks.longestLine)
    },
    { fastCheck: { numRuns: 20 } }
  )

  it("a line of 1 MiB with its LF is sent whole, and one more byte makes chunks", () => {
    assert.strictEqual(written(ofBytes(Chunks.longestLine - 1)).length, 1)
    const chunks = written(ofBytes(Chunks.longestLine))
    assert.strictEqual(chunks.length, 4)
    for (const chunk of chunks) fits(JSON.parse(chunk))
  })

  it("every frame has an id of its own", () => {
    const ids = written(ofBytes(1_100_000), ofBytes(1_100_000)).map((line) => JSON.parse(line).chunkId)
    assert.deepStrictEqual([...new Set(ids)], ["rpc-1", "rpc-2"])
  })

  it("64 MiB come in chunks", () => {
    const lines = written(ofBytes(Chunks.longestFrame))
    assert.strictEqual(lines.length, 256)
    assert.strictEqual(
      String(read(lines)[0]?.["text"]).length,
      Chunks.longestFrame - '{"type":"note","text":""}'.length
    )
  })

  it("of a longer frame the host hears what it waits for", () => {
    const large = Chunks.longestFrame
    const envelope = { sessionId: "s", epoch: "e", seq: 7 }
    const error = "exceeded the transport limit"
    const end = { type: "agent_end", messages: [{ role: "user" }, { role: "assistant" }], runId: "r", ...envelope }
    const frames = [
      ofBytes(large + 1, { id: "q", type: "response", command: "get_messages", success: true }),
      ofBytes(large + 1, end),
      ofBytes(large + 1, { ...envelope, type: "message_end" })
    ]
    const [response, ended, lost] = frames.map((frame) => read(written(frame))[0])
    const failure = { id: "q", type: "response", command: "get_messages", success: false }
    assert.deepStrictEqual(response, { ...failure, error: `RPC response ${error}`, code: "frame_too_large" })
    assert.deepInclude(ended, { type: "agent_end", messages: [], messageCount: 2, runId: "r", ...envelope })
    fits(lost)
    assert.deepStrictEqual(lost, {
      type: "rpc_frame_error",
      originalType: "message_end",
      error: `RPC frame ${error}`,
      ...envelope
    })
  })

  it("of a longer frame only the messages of `agent_end` are left out", () => {
    const large = Chunks.longestFrame + 1
    const others = [
      ofBytes(large, { type: "history", messages: [{ role: "user" }] }),
      ofBytes(large, { type: "agent_end" })
    ]
    const types = others
      .map((frame) => read(written(frame))[0])
      .map((frame) => [frame?.["type"], frame?.["originalType"]])
    assert.deepStrictEqual(types, [
      ["rpc_frame_error", "history"],
      ["rpc_frame_error", "agent_end"]
    ])
  })
})
