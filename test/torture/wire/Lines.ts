/** Lines for the input of an agent: valid ones, nearly valid ones, and bytes. Each says what the agent owes for it. */
import { isFrame } from "../../support/torture/Agent.ts"
import type { Random } from "../../support/torture/Random.ts"
import * as Frames from "./Frames.ts"

/** `either`: beyond a bound of the protocol, so a refusal without id is as good as an answer with one. */
export type Owed =
  | { readonly kind: "nothing" | "parse" }
  | {
      readonly kind: "response"
      readonly type: string
      readonly id: string | number | undefined
      readonly either: boolean
    }

export interface Line {
  readonly bytes: Buffer
  readonly owed: Owed
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Lines of commands that write or run what they name are sent as they are. */
const untouchable = new Set(["bash", "export_html", "switch_session", "open_session"])

const idOf = (id: unknown): string | number | undefined =>
  typeof id === "string" || (typeof id === "number" && Number.isFinite(id)) ? id : undefined

/** What protocol.md 2 says about a line, without looking at the agent. */
export const owed = (bytes: Buffer, isFirst: boolean, beyond: boolean): Owed => {
  try {
    const from = isFirst && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
    const text = utf8.decode(bytes.subarray(from, bytes.at(-1) === 13 ? -1 : bytes.length))
    if (text.trim() === "") return { kind: "nothing" }
    const frame: unknown = JSON.parse(text)
    const type = isFrame(frame) ? frame["type"] : undefined
    if (!isFrame(frame) || typeof type !== "string") return { kind: "parse" }
    if (Frames.hostFrames.includes(type)) return { kind: "nothing" }
    return { kind: "response", type, id: idOf(frame["id"]), either: beyond }
  } catch {
    return { kind: "parse" }
  }
}

const garbage = (random: Random) => Buffer.from(Array.from({ length: 1 + random.int(60) }, () => random.int(256)))

/** Changes a few bytes; a line feed would make two lines of one. */
const damage = (bytes: Buffer, random: Random): Buffer => {
  let out = bytes
  for (let times = 1 + random.int(3); times > 0; times--) {
    const at = random.int(out.length + 1)
    const [before, after] = [out.subarray(0, at), out.subarray(at)]
    const inserted = random.pick([
      Buffer.from([random.int(256)]),
      Buffer.from([0]),
      Buffer.from("\\ud800"),
      Buffer.from([0xc0, 0xaf])
    ])
    out = random.weighted<() => Buffer>([
      [3, () => Buffer.concat([before, inserted, after])],
      [3, () => Buffer.concat([before, after.subarray(1 + random.int(4))])],
      [2, () => Buffer.from(before)],
      [2, () => Buffer.concat([before, bytes.subarray(random.int(bytes.length)), after])],
      [1, () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), out])],
      [1, () => Buffer.concat([out, Buffer.from("\r")])]
    ])()
  }
  return Buffer.from(out.filter((byte) => byte !== 10))
}

const heavy = new Set([
  "prompt",
  "abort_and_prompt",
  "compact",
  "bash",
  "export_html",
  "get_schema",
  "navigate_tree",
  "branch"
])
const sessions = new Set([
  "new_session",
  "switch_session",
  "fork",
  "clone",
  "open_session",
  "list_sessions",
  "get_tree"
])
const weight = (type: string) => (heavy.has(type) || sessions.has(type) ? 0.02 : 1)
const choices = (types: ReadonlyArray<string>) => types.map((type) => [weight(type), type] as const)
const all = choices(Frames.commands)

const withId = (frame: object, random: Random, n: number): object => {
  const id = random.weighted<unknown>([
    [20, `w${n}`],
    [10, n],
    [3, `dup${random.int(3)}`],
    [1, random.pick<unknown>(["", -0, 1.5, "x".repeat(2000), null, true, {}, [1], "__proto__"])]
  ])
  return random.chance(0.05) ? frame : { id, ...frame }
}

/** One member wrong, missing or too much. */
const distort = (frame: Readonly<Record<string, unknown>>, random: Random): Readonly<Record<string, unknown>> => {
  const names = Object.keys(frame).filter((name) => name !== "type")
  const name = names[random.int(names.length)] ?? "extra"
  if (random.chance(0.3)) return Object.fromEntries(Object.entries(frame).filter(([key]) => key !== name))
  return { ...frame, [random.chance(0.3) ? "extra" : name]: Frames.anything(random) }
}

const lineOf = (frame: unknown) => Buffer.from(JSON.stringify(frame))

type Choices = ReturnType<typeof choices>

const make = (
  random: Random,
  seen: Frames.Seen,
  n: number,
  choices: Choices
): { readonly bytes: Buffer; readonly beyond?: boolean } => {
  const type = random.weighted(choices)
  const frame = Frames.command(type, random, seen)
  return random.weighted<() => { readonly bytes: Buffer; readonly beyond?: boolean }>([
    [50, () => ({ bytes: lineOf(withId(frame, random, n)) })],
    [20, () => ({ bytes: lineOf(withId(untouchable.has(type) ? frame : distort(frame, random), random, n)) })],
    [14, () => ({ bytes: untouchable.has(type) ? garbage(random) : damage(lineOf(withId(frame, random, n)), random) })],
    [6, () => ({ bytes: lineOf(Frames.anything(random)) })],
    [4, () => ({ bytes: Buffer.from(garbage(random).filter((byte) => byte !== 10)) })],
    [3, () => ({ bytes: lineOf(withId({ type: `no_${random.int(9)}` }, random, n)) })],
    [2, () => ({ bytes: lineOf(Frames.hostFrame(random, seen)) })],
    [
      0.5,
      () => ({ bytes: Buffer.from(random.pick(["", " ", "\t\r", "{", "}", "[", "nul", '"', "{}", "[]", "1e999"])) })
    ],
    [
      0.1,
      () => ({
        bytes: lineOf(withId({ ...frame, extra: Frames.nested(600 + random.int(5000)) }, random, n)),
        beyond: true
      })
    ],
    [
      0.1,
      () => ({
        bytes: lineOf(withId({ ...frame, extra: Array.from({ length: random.int(50_000) }, () => 0) }, random, n))
      })
    ]
  ])()
}

/** `types` are the commands to choose from; all of the registry unless given. */
export const line = (
  random: Random,
  seen: Frames.Seen,
  n: number,
  isFirst: boolean,
  types?: ReadonlyArray<string>
): Line => {
  const { beyond = false, bytes: made } = make(random, seen, n, types === undefined ? all : choices(types))
  const bytes = made.includes(10) ? Buffer.from(made.filter((byte) => byte !== 10)) : made
  return { bytes, owed: owed(bytes, isFirst, beyond) }
}

/** Joins lines and cuts the result at any byte, also inside a character. */
export const chunks = (lines: ReadonlyArray<Line>, random: Random): ReadonlyArray<Buffer> => {
  const all = Buffer.concat(lines.flatMap(({ bytes }) => [bytes, Buffer.from("\n")]))
  const cuts = Array.from({ length: random.int(6) }, () => random.int(all.length)).toSorted((a, b) => a - b)
  return [0, ...cuts].map((from, at) => all.subarray(from, cuts[at] ?? all.length))
}
