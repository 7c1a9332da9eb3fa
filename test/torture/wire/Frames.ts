/** Frames that fit docs/rpc.schema.json, for every command of the registry, and values that fit nothing. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type Frame, isFrame } from "../../support/torture/Agent.ts"
import type { Random } from "../../support/torture/Random.ts"

const schema: unknown = JSON.parse(readFileSync(join(import.meta.dirname, "../../../docs/rpc.schema.json"), "utf8"))
const member = (value: unknown, name: string): unknown => (isFrame(value) ? value[name] : undefined)
const record = (value: unknown): Frame => (isFrame(value) ? value : {})
const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const definitions = record(member(schema, "$defs"))
export const commands: ReadonlyArray<string> = Object.keys(record(member(schema, "x-commands")))
/** Those that pi and omp know, too. */
export const common: ReadonlyArray<string> = commands.filter((name) => {
  const origin = list(member(record(member(schema, "x-commands"))[name], "origin"))
  return origin.includes("pi") && origin.includes("omp")
})
export const hostFrames: ReadonlyArray<string> = Object.keys(record(member(schema, "x-hostFrames")))

const resolve = (node: unknown): Frame => {
  const ref = member(node, "$ref")
  if (typeof ref !== "string") return record(node)
  return { ...resolve(definitions[ref.slice("#/$defs/".length)]), ...record(node), $ref: undefined }
}

/** Ids that the agent has sent: a frame that names one reaches further than a frame that names nothing. */
export interface Seen {
  readonly ids: Array<string>
}

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

const texts = [
  "",
  "x",
  "hello",
  "What is in this folder?",
  "read notes.txt",
  "ä€😀",
  "\u2028\u2029\u0085",
  "\ud800",
  "a\nb"
]
const names = ["__proto__", "constructor", "toString", "length", "0", "", "id", "type", "\u0000", "message"]

/**
 * Members that the agent acts upon. Commands and paths come from fixed lists: a fuzzed command must not be run, and a
 * fuzzed path must not be written.
 */
const fixed: Readonly<Record<string, (random: Random, seen: Seen) => unknown>> = {
  command: (random) =>
    random.pick(["true", "echo x", "exit 3", "printf '\\377\\0'", "echo e >&2", "head -c 5000 notes.txt"]),
  timeout: (random) => random.pick([1, 5, 300, 0.5]),
  outputPath: (random) => random.pick(["out.html", "no/such/folder.html", "."]),
  sessionPath: (random, seen) => (random.chance(0.5) ? known(random, seen) : random.pick(["nosuch", ".", "notes.txt"])),
  sessionDir: (random) => random.pick(["a", "b", "notes.txt"]),
  entryId: (random, seen) => known(random, seen),
  messageId: (random, seen) => known(random, seen),
  targetId: (random, seen) => known(random, seen),
  graceMs: (random) => random.pick([0, 1, 10_000]),
  provider: (random) => random.pick(["offline", "offline", "nosuch", ""]),
  modelId: (random) => random.pick(["guide", "guide", "script", "nosuch"]),
  level: (random) => random.pick(["off", "low", "high", "nosuch"]),
  data: (random) => random.pick([png, "AAAA", "not base64!", ""]),
  mimeType: (random) => random.pick(["image/png", "image/jpeg", "text/plain", ""]),
  name: (random) => random.pick(["tool", "bash", "a b", "x", "ü"]),
  clientMessageId: (random) => `client-${random.int(50)}`,
  protocolVersion: (random) => random.pick([1, 2, 3, -1, 1e9])
}

const known = (random: Random, seen: Seen): string =>
  seen.ids.length === 0 || random.chance(0.3) ? `id${random.int(100)}` : (seen.ids[random.int(seen.ids.length)] ?? "")

export const text = (random: Random): string => texts[random.int(texts.length)] ?? ""

const valueOf = (node: unknown, random: Random, seen: Seen, name: string, depth: number): unknown => {
  const own = fixed[name]
  if (own !== undefined) return own(random, seen)
  const type = resolve(node)
  const options = list(type["anyOf"])
  if (options.length > 0) return valueOf(options[random.int(options.length)], random, seen, name, depth)
  const values = list(type["enum"])
  if (values.length > 0) return values[random.int(values.length)]
  if ("const" in type) return type["const"]
  switch (type["type"]) {
    case "string":
      return text(random)
    case "boolean":
      return random.chance(0.5)
    case "integer":
    case "number":
      return random.pick([1, 2, 3, 50, 100, 0, 200])
    case "array":
      return depth > 3
        ? []
        : Array.from({ length: random.int(3) }, () => valueOf(type["items"], random, seen, "", depth + 1))
    case "object":
      return objectOf(type, random, seen, depth + 1)
    default:
      return random.pick([null, 1, "x", [], {}])
  }
}

const objectOf = (type: Frame, random: Random, seen: Seen, depth: number): Frame => {
  const required = new Set(list(type["required"]))
  return Object.fromEntries(
    Object.entries(record(type["properties"]))
      .filter(([name]) => name !== "id" && (required.has(name) || random.chance(0.4)))
      .map(([name, node]) => [name, valueOf(node, random, seen, name, depth)])
  )
}

const part = (kind: string, type: string) => resolve(member(record(member(schema, kind))[type], "request"))

export const command = (type: string, random: Random, seen: Seen): Frame => ({
  ...objectOf(part("x-commands", type), random, seen, 0),
  type
})

/** A frame that answers a call which the agent never made, or has made. */
export const hostFrame = (random: Random, seen: Seen): Frame => ({
  type: hostFrames[random.int(hostFrames.length)],
  id: known(random, seen),
  result: random.pick<unknown>([{ content: [{ type: "text", text: "x" }] }, {}, null, { content: "x" }]),
  partialResult: random.pick<unknown>([{ content: [] }, 7])
})

export const nested = (levels: number): unknown => {
  let value: unknown = 1
  for (let at = 0; at < levels; at++) value = at % 2 === 0 ? [value] : { a: value }
  return value
}

/** A value that belongs nowhere. */
export const anything = (random: Random): unknown =>
  random.weighted<() => unknown>([
    [3, () => random.pick([null, true, 0, -1, 1.5, 1e308, -0])],
    [3, () => text(random)],
    [2, () => ({ [names[random.int(names.length)] ?? ""]: text(random) })],
    [1, () => Array.from({ length: random.int(20) }, () => random.int(9))],
    [1, () => "x".repeat(random.int(20_000))],
    [1, () => nested(random.int(400))]
  ])()
