/** Puts chunks together as a client of the omp family does, and throws where such a client ends its process. */
import type { Frame } from "./HostProcess.ts"

const longest = 64 * 1024 * 1024

const need = (rule: string, holds: boolean) => {
  if (!holds) throw new Error(`a chunk breaks the rule: ${rule}`)
}

const bytesOf = (data: unknown): Buffer => {
  const bytes = Buffer.from(String(data), "base64")
  need("canonical base64", bytes.toString("base64") === data && bytes.length > 0)
  need("at most 262144 bytes", bytes.length <= 262_144)
  return bytes
}

export const make = () => {
  let first: Frame | undefined
  let parts: Array<Buffer> = []
  /** The frame that the line ends, if it ends one. */
  return (line: string): Frame | undefined => {
    const frame: Frame = JSON.parse(line)
    if (frame["type"] !== "rpc_chunk") {
      need("no other line in between", first === undefined)
      return frame
    }
    need("the line is at most 1 MiB long", Buffer.byteLength(line) < 1_048_576)
    const { byteLength, chunkId, count, index } = frame
    first ??= frame
    need("the chunks of a frame follow each other", index === parts.length && chunkId === first["chunkId"])
    need("the same count and length", count === first["count"] && byteLength === first["byteLength"])
    need("an id", typeof chunkId === "string" && chunkId.length > 0 && chunkId.length <= 128)
    need("at least two chunks", Number(count) >= 2 && Number(count) <= 256)
    need("a length from 1 MiB to 64 MiB", Number(byteLength) >= 1_048_576 && Number(byteLength) <= longest)
    parts.push(bytesOf(frame["data"]))
    if (parts.length < Number(count)) return undefined
    const whole = Buffer.concat(parts)
    need("as long as announced", whole.length === byteLength)
    first = undefined
    parts = []
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(whole))
  }
}
