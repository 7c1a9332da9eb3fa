import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as SessionTree from "../../../../src/domain/session/SessionTree.ts"
import * as SessionText from "../../../../src/layers/storage/sessions/SessionText.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const lines = (...values: ReadonlyArray<unknown>) =>
  values.map((value) => `${typeof value === "string" ? value : JSON.stringify(value)}\n`).join("")

const header = { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/work" }
const user = (id: string, parentId: string | null, text = id) => ({
  type: "message",
  id,
  parentId,
  timestamp: header.timestamp,
  message: { role: "user", content: [{ type: "text", text }], timestamp: 0 }
})

const decode = (text: string) => {
  const decoded = SessionText.decode(bytes(text))
  if (decoded._tag !== "Session") throw new Error(`${decoded._tag}: ${text}`)
  return decoded
}
const links = (text: string) => decode(text).entries.map(({ id, parentId }) => `${parentId ?? ""}>${id}`)
const texts = (text: string) =>
  SessionTree.make(decode(text).entries)
    .conversation()
    .map((message) => ("content" in message ? JSON.stringify(message.content) : message.role))

it("a file that is cut at any byte has every entry that was whole, and none that was not", () => {
  const whole = lines(header, user("a", null, "häß"), user("b", "a", "\u2028"), user("c", "b"))
  const all = bytes(whole)
  const ends = [...whole.matchAll(/\n/g)].map(({ index }) => bytes(whole.slice(0, index)).length)
  for (let length = 0; length <= all.length; length++) {
    const decoded = SessionText.decode(all.subarray(0, length))
    const entries = ends.slice(1).filter((end) => end <= length).length
    if (length < (ends[0] ?? 0)) assert.strictEqual(decoded._tag, "Empty", String(length))
    else if (decoded._tag !== "Session") assert.fail(`${length}: ${decoded._tag}`)
    else {
      assert.strictEqual(decoded.entries.length, entries, String(length))
      assert.strictEqual(decoded.endsWithNewline, ends.includes(length - 1))
    }
  }
})

describe("what is no session file", () => {
  for (const text of [
    "hello",
    "[]\n",
    "{}\n",
    lines(user("a", null)),
    lines({ type: "session" }),
    "\n",
    lines("{", header)
  ]) {
    it(JSON.stringify(text).slice(0, 40), () => assert.strictEqual(SessionText.decode(bytes(text))._tag, "NotASession"))
  }
  it.each([
    [0, "0"],
    [1.5, "1.5"],
    ["3", '"3"'],
    [{}, "an object"]
  ] as const)("version %j", (version, shown) =>
    assert.deepStrictEqual(SessionText.decode(bytes(lines({ ...header, version }))), {
      _tag: "NotASession",
      detail: `the version in its header is ${shown}`
    })
  )
  it("never a defect, whatever the bytes", () =>
    fc.assert(fc.property(fc.uint8Array(), (any) => void SessionText.decode(any))))
})

it("a newer version is told apart", () =>
  assert.deepStrictEqual(SessionText.decode(bytes(lines({ ...header, version: 4 }))), { _tag: "Newer", version: 4 }))

it("members of the header that we do not know stay", () =>
  assert.deepStrictEqual<unknown>(decode(lines({ ...header, mood: "fine" })).header, { ...header, mood: "fine" }))

describe("lines that cannot be read", () => {
  const rows: Record<string, readonly [string, ReadonlyArray<string>]> = {
    "are skipped, and what hung on them hangs on what was before": [
      lines(header, user("a", null), '{"type":"mess', user("c", "b")),
      [">a", "a>c"]
    ],
    "two lines that ran into each other count as one": [
      lines(
        header,
        user("a", null),
        `${JSON.stringify(user("b", "a")).slice(0, 40)}${JSON.stringify(user("c", "b"))}`,
        user("d", "c")
      ),
      [">a", "a>d"]
    ],
    "zeros of a power cut": [lines(header, user("a", null), "\0\0\0", user("b", "a")), [">a", "a>b"]],
    "entries without a place": [lines(header, user("a", null), { type: "odd" }, user("b", "a")), [">a", "a>b"]],
    "empty lines are nothing": [lines(header, "", user("a", null), "  ", user("b", "gone")), [">a", "gone>b"]],
    "an orphan in a whole file is a root": [lines(header, user("a", null), user("b", "gone")), [">a", "gone>b"]]
  }
  for (const [name, [text, wanted]] of Object.entries(rows)) it(name, () => assert.deepStrictEqual(links(text), wanted))
})

describe("older versions", () => {
  const old = { type: "session", id: "s", timestamp: header.timestamp, cwd: "/work", provider: "p" }
  const bare = (text: string) => ({ type: "message", message: { role: "user", content: text, timestamp: 0 } })
  const first = lines(
    old,
    bare("1"),
    bare("2"),
    { type: "compaction", summary: "s", firstKeptEntryIndex: 2, tokensBefore: 9 },
    bare("3")
  )

  it("1 is a list, and its compactions count lines", () => {
    assert.deepStrictEqual(links(first), [">00000001", "00000001>00000002", "00000002>00000003", "00000003>00000004"])
    assert.deepStrictEqual(texts(first), [
      "compactionSummary",
      '[{"type":"text","text":"2"}]',
      '[{"type":"text","text":"3"}]'
    ])
    const { header: migrated, version } = decode(first)
    assert.deepStrictEqual<unknown>([migrated, version], [{ ...old, version: 3 }, 1])
  })

  it("2 has hooks' messages", () => {
    const hook = { role: "hookMessage", customType: "x", content: "y", display: true, timestamp: 0 }
    const text = lines({ ...header, version: 2 }, { ...user("a", null), message: hook })
    const [entry] = decode(text).entries
    assert.deepStrictEqual<unknown>(entry, { ...user("a", null), message: { ...hook, role: "custom" } })
  })

  it("written again they are of today and say the same", () => {
    const { entries, header: migrated } = decode(first)
    const again = SessionText.encodeHeader(migrated) + SessionText.encode(entries)
    assert.strictEqual(decode(again).version, 3)
    assert.deepStrictEqual(texts(again), texts(first))
  })
})

it("whose conversation it is, is in the first bytes", () => {
  assert.strictEqual(SessionText.cwdOf(bytes(lines(header) + "{")), "/work")
  assert.isUndefined(SessionText.cwdOf(bytes('{"type":"session","cwd":3}\n')))
})
