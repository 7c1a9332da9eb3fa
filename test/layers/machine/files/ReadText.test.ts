import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { local } from "../../../../src/layers/machine/files/own/OwnFiles.ts"
import * as ReadText from "../../../../src/layers/machine/files/ReadText.ts"
import { withFiles } from "../../tools/TempFolder.ts"

const { headBytes, headIfPresent } = ReadText

it.scoped("the head of a file: all of a small one, whole lines of a large one", () =>
  Effect.gen(function* () {
    const line = `${"x".repeat(99)}\n`
    const exact = "y".repeat(headBytes)
    const folder = yield* withFiles({
      small: "\uFEFFone\ntwo",
      exact,
      large: line.repeat(1000),
      "one line": `${exact}more`
    })
    const head = (name: string) => Effect.map(headIfPresent(local, join(folder, name)), Option.getOrUndefined)
    assert.deepStrictEqual(yield* head("small"), { text: "one\ntwo", isDamaged: false })
    assert.deepStrictEqual(yield* head("exact"), { text: exact, isDamaged: false })
    const lines = Math.floor(headBytes / line.length)
    assert.deepStrictEqual(yield* head("large"), { text: line.repeat(lines), cutFrom: 100_000, isDamaged: false })
    assert.deepStrictEqual(yield* head("one line"), {
      text: exact.slice(1),
      cutFrom: headBytes + 4,
      isDamaged: false
    })
    assert.strictEqual(yield* head("absent"), undefined)
  })
)

it.scoped("links out of a folder of a stranger, folders and devices are refused with a reason", () =>
  Effect.gen(function* () {
    const root = yield* withFiles({ "in/a": "a", "in/folder/": "", outside: "SECRET" })
    const at = (name: string) => join(root, "in", name)
    symlinkSync("../outside", at("away"))
    symlinkSync("a", at("near"))
    symlinkSync("/dev/zero", at("device"))
    const head = (name: string) => headIfPresent(local, at(name), { within: join(root, "in") })
    assert.deepStrictEqual(yield* head("near"), Option.some({ text: "a", isDamaged: false }))
    const reasons = yield* Effect.forEach(["away", "folder", "device"], (name) =>
      Effect.map(Effect.flip(head(name)), ({ reason }) => reason)
    )
    assert.deepStrictEqual(reasons, [
      "is a link that leads out of the folder",
      "is a folder, not a file",
      "is a link that leads out of the folder"
    ])
    assert.strictEqual(
      (yield* Effect.flip(headIfPresent(local, at("device")))).reason,
      "is a character device, not a file"
    )
  })
)
