/** A glance must say what reading everything says, or nothing. */
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc, Option } from "effect"
import * as LateEntries from "../../../src/domain/session/LateEntries.ts"
import * as QueueEntries from "../../../src/domain/session/QueueEntries.ts"
import * as SessionContext from "../../../src/domain/session/SessionContext.ts"
import { settingsOf } from "../../../src/domain/session/SessionSettings.ts"
import * as SessionTree from "../../../src/domain/session/SessionTree.ts"
import * as TodoEntries from "../../../src/domain/todo/TodoEntries.ts"
import { glance } from "../../../src/layers/session/SessionGlance.ts"
import * as SessionText from "../../../src/layers/session/SessionText.ts"
import { bytes, files, header } from "./plainFiles.ts"

const read = (text: string) => {
  const decoded = SessionText.decode(bytes(text))
  if (decoded._tag !== "Session") return assert.fail(decoded._tag)
  const tree = SessionTree.make(decoded.entries)
  return {
    messageCount: tree.conversation().length,
    name: tree.name(),
    settings: settingsOf(tree.branch()),
    todos: TodoEntries.restore(tree.branch()),
    queued: QueueEntries.restore(decoded.entries),
    late: LateEntries.restore(decoded.entries),
    calls: tree.tail(SessionContext.endsCalls),
    whole: tree.tail(() => false)
  }
}

const glanceAt = (given: Uint8Array) => {
  const seen = glance(given)
  if (seen === undefined) return undefined
  const { queue, tail, ...rest } = seen
  return {
    ...rest,
    queued: QueueEntries.restore(queue),
    late: LateEntries.restore(queue),
    calls: tail(SessionContext.endsCalls),
    whole: tail(() => false)
  }
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
    "a tool result in another order": [
      '{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"toolResult","toolName":"todo_write"}}'
    ],
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
    todos: { phases: [], isTold: true },
    queued: [],
    late: [],
    calls: [],
    whole: []
  }))
