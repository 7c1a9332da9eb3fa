/** EntryShape is written by hand for speed: damage at any place of an entry must be seen exactly as its schema sees it. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { isKnownType, isOwnEntry } from "../../../src/domain/session/EntryShape.ts"
import { NewEntry } from "../../../src/domain/session/SessionEntry.ts"
import { usage } from "../../support/sessions/Entries.ts"

const place = { id: "a", parentId: null, timestamp: "2026-01-01T00:00:00.000Z" }
const text = { type: "text", text: "hi" }
const image = { type: "image", data: "AA==", mimeType: "image/png" }
const answer = {
  role: "assistant",
  content: [
    text,
    { type: "thinking", thinking: "hm" },
    { type: "toolCall", id: "c", name: "ls", arguments: { path: "." } }
  ],
  api: "a",
  provider: "p",
  model: "m",
  usage: usage({ input: 1, output: 2 }),
  stopReason: "error",
  errorMessage: "no",
  timestamp: 1
}
const result = { role: "toolResult", toolCallId: "c", toolName: "ls", content: [text, image], isError: false }
const command = { role: "bashExecution", command: "ls", output: "", exitCode: 0, cancelled: false, truncated: true }

const messages = {
  user: { role: "user", content: [text, image], timestamp: 1 },
  answer,
  result: { ...result, details: { lines: 1 }, timestamp: 1 },
  command: { ...command, fullOutputPath: "/log", timestamp: 1 },
  custom: { role: "custom", customType: "lint", content: "x", display: true, timestamp: 1 },
  "custom with blocks": { role: "custom", customType: "lint", content: [text], display: true, timestamp: 1 },
  "branch summary": { role: "branchSummary", summary: "s", fromId: "a", timestamp: 1 },
  "compaction summary": {
    role: "compactionSummary",
    summary: "s",
    shortSummary: "s",
    tokensBefore: 1,
    timestamp: 1
  }
}

const samples: Readonly<Record<string, object>> = {
  ...Object.fromEntries(
    Object.entries(messages).map(([name, message]) => [
      `message: ${name}`,
      { type: "message", message, messageId: "m", clientMessageId: "c" }
    ])
  ),
  "model change": { type: "model_change", provider: "p", modelId: "m" },
  "thinking level": { type: "thinking_level_change", thinkingLevel: "high" },
  compaction: {
    type: "compaction",
    summary: "s",
    firstKeptEntryId: "a",
    tokensBefore: 1,
    shortSummary: "s",
    details: { readFiles: [] },
    preserveData: {},
    fromExtension: true
  },
  "branch summary": { type: "branch_summary", fromId: "root", summary: "s", details: {}, fromExtension: false },
  "custom message": { type: "custom_message", customType: "x", display: true, content: [text] },
  "delivered custom message": {
    type: "custom_message",
    customType: "x",
    display: true,
    content: "x",
    messageId: "m",
    betweenAttempts: true
  },
  custom: { type: "custom", customType: "x" },
  label: { type: "label", targetId: "a", label: "here" },
  name: { type: "session_info", name: "weaving" },
  todos: {
    type: "todo_state",
    phases: [
      { id: "phase-1", name: "p", tasks: [{ id: "task-1", content: "c", status: "pending", notes: "n", details: "d" }] }
    ]
  },
  rules: { type: "ttsr_injection", injectedRules: ["a", "b"] },
  usage: { type: "usage", source: "compaction", provider: "p", model: "m", usage: usage({ cacheRead: 3 }) }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

type Path = ReadonlyArray<string>

/** Every place in a value, except inside free-form objects, where anything goes. */
const pathsOf = (value: unknown, at: Path = []): ReadonlyArray<Path> =>
  isRecord(value) && !["arguments", "details", "preserveData"].includes(at.at(-1) ?? "")
    ? Object.entries(value).flatMap(([key, member]) => [[...at, key], ...pathsOf(member, [...at, key])])
    : []

const absent = Symbol("absent")

/** A copy with another value at a place, or with none. */
const damage = (value: unknown, [key, ...rest]: Path, other: unknown): unknown => {
  if (!isRecord(value) || key === undefined) return other
  const member = damage(value[key], rest, other)
  if (Array.isArray(value)) {
    const items = value.map((item, index) => (String(index) === key ? member : item))
    return items.filter((item) => item !== absent)
  }
  const { [key]: _, ...others } = value
  return member === absent ? others : { ...others, [key]: member }
}

const damages: Readonly<Record<string, unknown>> = {
  absent,
  null: null,
  "a text": "neither role nor type",
  "a number": 7,
  "a flag": true,
  "a list": [null],
  "an object": { other: 1 }
}

const isNew = Schema.is(NewEntry)

describe.each(Object.entries(samples))("%s", (_, sample) => {
  it("is an entry", () => {
    assert.isTrue(isNew(sample))
    assert.isTrue(isOwnEntry({ ...place, ...sample }))
  })

  it.each(Object.entries(damages))("with %s at any place is judged as the schema judges it", (_, other) => {
    const judged = pathsOf(sample).map((path) => {
      const damaged = damage(sample, path, other)
      const whole = isRecord(damaged) ? { ...place, ...damaged } : damaged
      return { path: path.join("."), ours: isOwnEntry(whole), schema: isNew(damaged) }
    })
    assert.deepStrictEqual(
      judged.map(({ ours, path }) => `${path}: ${ours}`),
      judged.map(({ path, schema }) => `${path}: ${schema}`)
    )
  })
})

describe("the place of an entry", () => {
  const entry = { type: "session_info", name: "n" }
  const places: ReadonlyArray<readonly [object, boolean]> = [
    [{ ...place, parentId: "b" }, true],
    [{ ...place, id: 1 }, false],
    [{ ...place, parentId: 1 }, false],
    [{ ...place, timestamp: 1 }, false],
    [{ id: "a", timestamp: place.timestamp }, false],
    [{}, false]
  ]
  it.each(places)("%j", (where, fits) => assert.strictEqual(isOwnEntry({ ...entry, ...where }), fits))

  it.each([null, "x", 1, [], ["type"]])("%j is no entry", (value) => assert.isFalse(isOwnEntry(value)))
})

it.each([
  ["message", true],
  ["usage", true],
  ["toString", false],
  ["", false],
  [undefined, false]
] as const)("the type %j is known: %s", (type, known) => assert.strictEqual(isKnownType(type), known))
