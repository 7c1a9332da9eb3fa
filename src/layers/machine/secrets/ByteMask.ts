/** Masks secrets in a stream of bytes, also those that are cut into pieces. Pure, but for the state of one stream. */
import { hidden } from "../../../domain/model/BaseUrl.ts"

export interface ByteMask {
  /** The bytes so far that cannot be part of a secret any more. Returns the piece itself if it is not touched. */
  readonly push: (piece: Uint8Array) => Uint8Array
  /** The bytes that were held back. */
  readonly end: () => Uint8Array
}

export interface Compiled {
  /** Longest first. */
  readonly secrets: ReadonlyArray<Uint8Array>
}

const marker = new TextEncoder().encode(hidden)
const none = new Uint8Array(0)

export const compile = (values: ReadonlyArray<string>): Compiled => ({
  secrets: values.map((value) => new TextEncoder().encode(value))
})

const concat = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** The same memory. Its searches are native: loops would be compiled, which takes megabytes. */
const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const replace = (bytes: Uint8Array, secret: Uint8Array): Uint8Array => {
  const buffer = asBuffer(bytes)
  let at = buffer.indexOf(secret)
  if (at < 0) return bytes
  const parts: Array<Uint8Array> = []
  let from = 0
  for (; at >= 0; at = buffer.indexOf(secret, from)) {
    parts.push(bytes.subarray(from, at), marker)
    from = at + secret.length
  }
  return concat([...parts, bytes.subarray(from)])
}

/** How many of the last bytes may be the beginning of a secret. */
const unsure = (bytes: Uint8Array, secrets: ReadonlyArray<Uint8Array>): number => {
  const buffer = asBuffer(bytes)
  let most = 0
  for (const secret of secrets) {
    const first = secret[0] ?? 0
    let at = bytes.indexOf(first, Math.max(0, bytes.length - secret.length + 1))
    while (at >= 0 && !buffer.subarray(at).equals(secret.subarray(0, bytes.length - at)))
      at = bytes.indexOf(first, at + 1)
    if (at >= 0) most = Math.max(most, bytes.length - at)
  }
  return most
}

export const make = ({ secrets }: Compiled): ByteMask => {
  let held = none
  return {
    push: (piece) => {
      const bytes = held.length === 0 ? piece : concat([held, piece])
      const clean = secrets.reduce(replace, bytes)
      const back = unsure(clean, secrets)
      held = back === 0 ? none : clean.slice(clean.length - back)
      return back === 0 ? clean : clean.subarray(0, clean.length - back)
    },
    end: () => {
      const last = held
      held = none
      return last
    }
  }
}
