/** What differs between Bun, on which heddle runs, and Node, on which a program may have heddle as a library. */
import { EnginePromise } from "./Primordials.ts"

export const isBun = typeof Bun !== "undefined"

/** `bun:ffi` is loaded with its first use: Node cannot load it at all. */
export const ffi = (): typeof import("bun:ffi") => require("bun:ffi")

interface Hash {
  readonly update: (data: string | Uint8Array) => Hash
  readonly digest: (encoding: "hex") => string
}

/** Bun's own takes no module to load, unlike that of `node:crypto`. */
export const sha256 = (): Hash => {
  if (isBun) return new Bun.CryptoHasher("sha256")
  const { createHash }: typeof import("node:crypto") = require("node:crypto")
  return createHash("sha256")
}

export const collectGarbage = (): void => {
  if (isBun) Bun.gc(true)
}

export const sleepSync = (ms: number): void => {
  if (isBun) Bun.sleepSync(ms)
  else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** `Promise.withResolvers`, which Node has since version 22. */
export const deferred = <A>() => {
  let resolve: (value: A | PromiseLike<A>) => void = () => undefined
  const promise = new EnginePromise<A>((fulfil) => {
    resolve = fulfil
  })
  return { promise, resolve }
}

/** `toBase64` of bytes, which Node has since version 25. */
export const toBase64 = (bytes: Uint8Array): string =>
  isBun ? bytes.toBase64() : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")

/** A UUID that sorts by its time: the given one in milliseconds, or the present. */
export const uuidv7 = (timestamp?: number): string => {
  if (isBun) return timestamp === undefined ? Bun.randomUUIDv7() : Bun.randomUUIDv7("hex", timestamp)
  const time = (timestamp ?? Date.now()).toString(16).padStart(12, "0")
  // Behind the digit of the version, a random UUID is laid out in the same way.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`
}

/** Bun's own matcher of globs, which does not backtrack; undefined on Node. */
export const glob = (pattern: string): ((path: string) => boolean) | undefined => {
  if (!isBun) return undefined
  const matcher = new Bun.Glob(pattern)
  return (path) => matcher.match(path)
}

/** Throws on text that is not YAML. */
export const parseYaml = (text: string): unknown => Bun.YAML.parse(text)
