import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, FastCheck as fc, Fiber } from "effect"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { nextTurn } from "../../../../src/layers/machine/engine/EventLoop.ts"
import * as LocalFiles from "../../../../src/layers/machine/files/LocalFiles.ts"
import * as Lines from "../../../../src/layers/tools/search/Lines.ts"
import { Files } from "../../../../src/services/machine/Files.ts"
import { descriptorsOf, tempFolder, withFiles } from "../TempFolder.ts"

/** The lines as they were handed over, with their numbers. */
const linesOf = Effect.fnUntraced(function* (path: string, most = Number.POSITIVE_INFINITY) {
  const lines: Array<readonly [number, string]> = []
  const outcome = yield* Lines.scan(path, (text, firstLine) =>
    Effect.sync(() => {
      const parts = text.split("\n")
      if (parts.at(-1) === "") parts.pop()
      lines.push(...parts.map((part, i) => [firstLine + i, part] as const))
      return lines.length < most
    })
  )
  return { outcome, lines }
})

/** Hands out files in pieces of a few bytes. */
const inPieces = Files.of({
  ...LocalFiles.service,
  open: (path) =>
    Effect.map(LocalFiles.service.open(path), (file) => ({
      ...file,
      read: (position) => Effect.map(file.read(position), (bytes) => bytes.subarray(0, 7001))
    }))
})

describe("scan", () => {
  it.scoped("property: the lines of the file, across pieces of any length", () =>
    Effect.gen(function* () {
      const path = join(yield* tempFolder, "a")
      const part = fc.constantFrom("x", "é", "🧵", "\r\n", "\n", "\n", "y".repeat(40_000), "ö".repeat(33_000))
      for (const parts of fc.sample(fc.array(part, { minLength: 1, maxLength: 12 }), 60)) {
        const text = parts.join("")
        yield* Effect.promise(() => writeFile(path, text))
        const expected = text.replace(/\n$/, "").split("\n")
        const { lines, outcome } = yield* linesOf(path)
        assert.strictEqual(outcome, "done")
        assert.deepStrictEqual(
          lines,
          expected.map((line, i) => [i + 1, line] as const)
        )
      }
    }).pipe(Effect.provideService(Files, inPieces))
  )

  it.scoped("marks, encodings, binary files, files that are none", () =>
    Effect.gen(function* () {
      const utf16 = (text: string) => [...text].flatMap((char) => [char.charCodeAt(0) & 255, char.charCodeAt(0) >> 8])
      const folder = yield* withFiles({
        empty: "",
        marked: "\uFEFFa\nb",
        little: Uint8Array.of(0xff, 0xfe, ...utf16("aé\nb")),
        big: Uint8Array.of(0xfe, 0xff, 0, 0x61),
        latin: Uint8Array.of(0x61, 0xe9, 0x0a),
        binary: "a\0b",
        late: `${"a\n".repeat(60_000)}\0`,
        long: "x".repeat(17 * 1024 * 1024),
        "folder/": ""
      })
      const scanned = (name: string) => linesOf(join(folder, name))
      assert.deepStrictEqual(yield* scanned("empty"), { outcome: "done", lines: [] })
      assert.deepStrictEqual((yield* scanned("marked")).lines, [
        [1, "a"],
        [2, "b"]
      ])
      assert.deepStrictEqual((yield* scanned("little")).lines, [
        [1, "aé"],
        [2, "b"]
      ])
      assert.deepStrictEqual((yield* scanned("big")).lines, [[1, "a"]])
      assert.deepStrictEqual((yield* scanned("latin")).lines, [[1, "a\uFFFD"]])
      const outcomes = yield* Effect.forEach(["binary", "late", "long", "folder", "nowhere"], (name) =>
        Effect.map(scanned(name), ({ outcome }) => outcome)
      )
      assert.deepStrictEqual(outcomes, ["binary", "binary", "binary", "unreadable", "unreadable"])
    }).pipe(Effect.provide(LocalFiles.layer))
  )

  it.scoped("ends early when told, and closes the file in any case", () =>
    Effect.gen(function* () {
      const folder = yield* withFiles({ a: "line\n".repeat(1_000_000) })
      const path = join(folder, "a")
      const { lines } = yield* linesOf(path, 5)
      assert.isBelow(lines.length, 300_000) // one piece of the file
      const fiber = yield* Effect.fork(Lines.scan(path, () => Effect.succeed(true)))
      yield* nextTurn
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)))
      while ((yield* descriptorsOf(path)) > 0) yield* nextTurn
    }).pipe(Effect.provide(LocalFiles.layer))
  )
})
