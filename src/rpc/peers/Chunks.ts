/**
 * Cuts long lines into chunks, as transport version 2 of the omp family has it (supplement 2.3). A client of that family ends
 * its process when a chunk breaks a rule: the chunks of a frame follow each other with no line in between.
 */
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Predicate from "effect/Predicate"
import * as Json from "../../domain/Json.ts"
import * as Envelope from "../protocol/Envelope.ts"
import * as Frame from "../protocol/Frame.ts"

/** Bytes of the longest line, with its LF, and of the longest frame that a client puts together. Both are fixed by omp. */
export const longestLine = 1024 * 1024
export const longestFrame = 64 * 1024 * 1024
const chunkBytes = 256 * 1024

const utf8 = new TextEncoder()

/** Undefined for a line that is short enough. One character has at most three bytes in UTF-8. */
const bytesOfLong = (line: string): Uint8Array | undefined => {
  if (line.length * 3 < longestLine) return undefined
  const bytes = utf8.encode(line)
  return bytes.length < longestLine ? undefined : bytes
}

/** Not every engine has the method, and without it this takes sixty times as long. */
const toBase64 = (bytes: Uint8Array): string => ("toBase64" in bytes ? bytes.toBase64() : Encoding.encodeBase64(bytes))

const tooLong = "exceeded the transport limit"

/** What a host gets in place of a frame that no client would put together. */
const inPlaceOf = (line: string): object => {
  const frame = Either.getOrUndefined(Json.parse(line))
  const { id, type } = Envelope.read(frame)
  if (!Predicate.isReadonlyRecord(frame) || type === undefined)
    return { type: "rpc_frame_error", error: `RPC frame ${tooLong}` }
  const { command, epoch, messages, seq, sessionId } = frame
  if (type === "response") return Frame.failure(String(command), id, `RPC response ${tooLong}`, "frame_too_large")
  if (type === "agent_end" && Array.isArray(messages)) return { ...frame, messages: [], messageCount: messages.length }
  return { type: "rpc_frame_error", originalType: type, error: `RPC frame ${tooLong}`, sessionId, epoch, seq }
}

/** The lines to write for the lines of a text, in pieces that need not be in memory together. */
export const make = (): ((text: string) => Generator<string, void>) => {
  let frames = 0

  const chunksOf = function* (bytes: Uint8Array) {
    const chunkId = `rpc-${++frames}`
    const count = Math.ceil(bytes.length / chunkBytes)
    for (let index = 0; index < count; index++) {
      const data = toBase64(bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes))
      yield Frame.encode({ type: "rpc_chunk", chunkId, index, count, byteLength: bytes.length, data })
    }
  }

  return function* (text) {
    let short = ""
    for (const line of text.split("\n").slice(0, -1)) {
      const bytes = bytesOfLong(line)
      const isSent = bytes === undefined || bytes.length > longestFrame
      if (isSent) {
        short += bytes === undefined ? `${line}\n` : Frame.encode(inPlaceOf(line))
        continue
      }
      if (short !== "") yield short
      short = ""
      yield* chunksOf(bytes)
    }
    if (short !== "") yield short
  }
}
