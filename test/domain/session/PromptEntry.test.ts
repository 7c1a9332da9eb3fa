import { assert, it } from "vitest"
import * as PromptEntry from "../../../src/domain/session/PromptEntry.ts"
import type { SessionEntry } from "../../../src/domain/session/SessionEntry.ts"

const at = { parentId: null, timestamp: "2026-01-01T00:00:00.000Z" }
const custom = (data: unknown, customType = PromptEntry.customType): SessionEntry => ({
  type: "custom",
  customType,
  data,
  id: "e",
  ...at
})

const kept = { cwd: "/w", text: "# E", replace: "r", append: "a" }

it("the first entry of the folder counts", () => {
  const entries = [
    custom({ cwd: "/other", text: "other" }),
    custom({ cwd: "/w", text: "extension" }, "heddle.queue"),
    custom(kept),
    custom({ cwd: "/w", text: "later" })
  ]
  assert.deepStrictEqual(PromptEntry.find(entries, "/w"), kept)
  assert.deepStrictEqual(PromptEntry.find(entries, "/other"), { cwd: "/other", text: "other" })
  assert.isUndefined(PromptEntry.find(entries, "/nowhere"))
})

it("what was written is read back", () => {
  const written = PromptEntry.entryOf(kept)
  assert.deepStrictEqual(PromptEntry.find([{ ...written, id: "e", ...at }], "/w"), kept)
})

it("damaged entries are passed over", () => {
  const long = "x".repeat(4 * 1024 * 1024 + 1)
  const damaged = [undefined, null, 7, "x", [], {}, { cwd: "/w" }, { text: "t" }, { cwd: 1, text: "t" }]
  const entries = [...damaged, { cwd: "/w", text: long }].map((data) => custom(data))
  assert.isUndefined(PromptEntry.find(entries, "/w"))
  const odd = custom({ cwd: "/w", text: "t", replace: 7, append: null, more: 1 })
  assert.deepStrictEqual(PromptEntry.find([...entries, odd], "/w"), { cwd: "/w", text: "t" })
})
