/** Searches bytes with native functions: loops would be compiled, which takes megabytes. */
export interface ByteSearch {
  /** Whether these bytes are at this position. */
  readonly has: (wanted: Uint8Array, at: number) => boolean
  /** The next position of these bytes; -1 when there is none. */
  readonly next: (wanted: Uint8Array, from: number) => number
}

export const make = (bytes: Uint8Array): ByteSearch => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return {
    has: (wanted, at) =>
      at + wanted.length <= buffer.length && buffer.compare(wanted, 0, wanted.length, at, at + wanted.length) === 0,
    next: (wanted, from) => buffer.indexOf(wanted, from)
  }
}
