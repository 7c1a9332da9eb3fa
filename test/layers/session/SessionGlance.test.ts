/** A glance must say what reading everything says, or nothing. */
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc, Option } from "effect"
import * as SessionContext from "../../../src/domain/SessionContext.ts"
import { settingsOf } from "../../../src/domain/SessionSettings.ts"
import * as SessionTree from "../../../src/domain/SessionTree.ts"
import * as Usage from "../../../src/domain/Usage.ts"
import { glance } from "../../../src/layers/session/SessionGlance.ts"
import * as SessionText from "../../../src/layers/session/SessionText.ts"

const header = { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/" }
const message = (body: object) => ({ type: "message", message: { ...body, timestamp: 0 } })
const answer = (content: ReadonlyArray<object>, model = "m") =>
  message({ role: "assistant", content, api: "x", provider: "p", model, usage: Usage.zero, stopReason: "toolUse" })
const call = { type: "toolCall", id: "call", name: "t", arguments: { parent: '{"type":"message"', nested: [1] } }

/** Everything that our own files hold; entries name others by their place in the file. */
const bodies = fc.oneof(
  fc.string().map((text) => message({ role: "user", content: [{ type: "text", text }] })),
  fc.constantFrom(answer([]), answer([], "n"), answer([call]), answer([call, { ...call, id: "other" }])),
  fc
    .constantFrom("call", "other")
    .map((toolCallId) => message({ role: "toolResult", toolCallId, toolName: "t", content: [], isError: false })),
  fc.constantFrom(
    message({ role: "bashExecution", command: "ls", output: "", cancelled: false, truncated: false }),
    { type: "custom_message", customType: "x", content: "y", display: true },
    { type: "branch_summary", fromId: "root", summary: "s" },
    { type: "model_change", provider: "q", modelId: "n" },
    { type: "thinking_level_change", thinkingLevel: "high" },
    { type: "session_info", name: "name" },
    { type: "custom", customType: "x" },
    { type: "label", targetId: "00000000" }
  ),
  fc
    .nat(12)
    .map((n) => ({ type: "compaction", summary: "s", tokensBefore: 1, firstKeptEntryId: `${n}`.padStart(8, "0") }))
)

const files = fc.array(fc.tuple(bodies, fc.option(fc.nat(11), { freq: 3 })), { maxLength: 12 }).map((rows) => {
  const entries = rows.map(([{ type, ...body }, back], n) => {
    const parent = back === null || back >= n ? n - 1 : back
    const parentId = n === 0 || back === 11 ? null : `${parent}`.padStart(8, "0")
    return { type, id: `${n}`.padStart(8, "0"), parentId, timestamp: header.timestamp, ...body }
  })
  return [header, ...entries].map((line) => `${JSON.stringify(line)}\n`).join("")
})

const bytes = (text: string) => new TextEncoder().encode(text)

const read = (text: string) => {
  const decoded = SessionText.decode(bytes(text))
  if (decoded._tag !== "Session") return assert.fail(decoded._tag)
  const tree = SessionTree.make(decoded.entries)
  return {
    messageCount: tree.conversation().length,
    name: tree.name(),
    settings: settingsOf(tree.branch()),
    calls: tree.tail(SessionContext.endsCalls),
    whole: tree.tail(() => false)
  }
}

const glanceAt = (given: Uint8Array) => {
  const seen = glance(given)
  if (seen === undefined) return undefined
  const { tail, ...rest } = seen
  return { ...rest, calls: tail(SessionContext.endsCalls), whole: tail(() => false) }
}

it("says what reading everything says", () => {
  fc.assert(
    fc.property(files, (text) => assert.deepStrictEqual(glanceAt(bytes(text)), read(text))),
    { numRuns: 500 }
  )
})

it("says it of a file that is cut anywhere, or nothing", () => {
  const whole = fc.sample(files, { numRuns: 20, seed: 7 }).toSorted((a, b) => b.length - a.length)[0] ?? ""
  let told = 0
  const all = bytes(whole)
  for (let length = whole.indexOf("\n") + 1; length <= all.length; length++) {
    const seen = glanceAt(all.subarray(0, length))
    if (seen === undefined) continue
    told += 1
    assert.deepStrictEqual(seen, read(new TextDecoder().decode(all.subarray(0, length))))
  }
  assert.strictEqual(told, whole.split("\n").length - 1)
})

describe("nothing is said of a file with", () => {
  const user = (id: string, parentId: string | null) =>
    JSON.stringify({
      type: "message",
      id,
      parentId,
      timestamp: "t",
      message: { role: "user", content: [], timestamp: 0 }
    })
  const rows: Record<string, ReadonlyArray<string>> = {
    "a torn line": [user("a", null), '{"type":"mess'],
    "two lines in one": [user("a", null), `${user("b", "a").slice(0, 70)}${user("c", "b")}`],
    "members in another order": ['{"id":"a","type":"message"}'],
    "an edit": [user("a", null), '{"type":"context_edit","id":"b","parentId":"a","timestamp":"t","targetId":"a"}'],
    "a role that is read in another form": [user("a", null).replace('"user"', '"developer"')],
    "a parent that is not there": [user("a", "gone")],
    "a child before its parent": [user("b", "a"), user("a", "b")],
    zeros: [user("a", null), "\0\0"]
  }
  for (const [name, lines] of Object.entries(rows)) {
    it(name, () => {
      const text = [JSON.stringify(header), ...lines].map((line) => `${line}\n`).join("")
      assert.isUndefined(glance(bytes(text)))
    })
  }
})

it("a long end is not read line by line", () => {
  const line = (n: number) => ({
    type: "custom",
    id: `${n}`,
    parentId: n === 0 ? null : `${n - 1}`,
    timestamp: header.timestamp,
    customType: "x"
  })
  const file = (count: number) =>
    glance(
      bytes(
        [header, ...Array.from({ length: count }, (_, n) => line(n))].map((one) => `${JSON.stringify(one)}\n`).join("")
      )
    )
  assert.strictEqual(file(64)?.tail(() => false)?.length, 64)
  assert.isUndefined(file(65)?.tail(() => false))
  assert.strictEqual(file(65)?.tail(({ id }) => id === "60")?.length, 5)
})

it("a session without entries has nothing in it", () =>
  assert.deepStrictEqual(glanceAt(bytes(`${JSON.stringify(header)}\n`)), {
    messageCount: 0,
    name: Option.none(),
    settings: {},
    calls: [],
    whole: []
  }))
