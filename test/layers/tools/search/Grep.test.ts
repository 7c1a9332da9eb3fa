import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, FastCheck as fc, Fiber } from "effect"
import { symlink } from "node:fs/promises"
import { join } from "node:path"
import * as EventLoop from "../../../../src/layers/machine/engine/EventLoop.ts"
import * as LocalFiles from "../../../../src/layers/machine/files/LocalFiles.ts"
import * as Process from "../../../../src/layers/machine/processes/Process.ts"
import * as Grep from "../../../../src/layers/tools/search/Grep.ts"
import * as BuiltInSearch from "../../../../src/layers/tools/search/BuiltInSearch.ts"
import * as RipgrepSearch from "../../../../src/layers/tools/search/RipgrepSearch.ts"
import type { Engine } from "../../../../src/layers/tools/search/Search.ts"
import { comparePaths } from "../../../../src/layers/tools/search/Search.ts"
import { Files } from "../../../../src/services/machine/Files.ts"
import { machine, refusal, run, said, textOf } from "../RunTool.ts"
import { tempFolder, withFiles } from "../TempFolder.ts"

const program = Effect.runSync(Process.ripgrep)
const engines: Readonly<Record<string, Engine>> = {
  "built-in": BuiltInSearch.search,
  ...(program === undefined ? {} : { ripgrep: RipgrepSearch.make(program) })
}

const line = fc
  .array(fc.constantFrom("foo", "Foo", "bar", " ", "é", "x.y", "\t", "()"), { maxLength: 6 })
  .map((parts) => parts.join(""))
const randomTree = fc.dictionary(
  fc.array(fc.constantFrom("a", "b", "c", "A-"), { minLength: 1, maxLength: 3 }).map((p) => `${p.join("/")}.txt`),
  fc.tuple(fc.array(line, { maxLength: 8 }), fc.constantFrom("\n", "\r\n"), fc.boolean()),
  { maxKeys: 8 }
)
const queries = [
  { pattern: "foo" },
  { pattern: "foo", ignoreCase: true },
  { pattern: "x.y", literal: true },
  { pattern: "()", literal: true },
  { pattern: "^\\s*foo|bar$" },
  { pattern: "foo\\s+bar" },
  { pattern: "^$" },
  { pattern: "(?<!o)bar" },
  { pattern: "[^a-z]é", ignoreCase: true }
] as const

/** Every line of every file, one after the other. */
const reference = (files: Readonly<Record<string, string>>, query: (typeof queries)[number]) => {
  const source = "literal" in query ? query.pattern.replace(/[.()]/g, "\\$&") : query.pattern
  const pattern = new RegExp(source, "ignoreCase" in query ? "iu" : "u")
  const matches = Object.keys(files)
    .toSorted(comparePaths)
    .flatMap((path) => {
      const lines = (files[path] ?? "").replace(/\r?\n$/, "").split(/\r?\n/)
      const all = files[path] === "" ? [] : lines
      return all.flatMap((text, i) => (pattern.test(text) ? [`${path}:${i + 1}: ${text}`] : []))
    })
  return matches.length === 0 ? "No matches found" : matches.join("\n")
}

for (const [name, engine] of Object.entries(engines)) {
  const grep = (cwd: string) => Grep.make({ cwd, engine, machine })
  const found = (cwd: string, args: Record<string, unknown>) => Effect.map(run(grep(cwd), args), textOf)

  describe(name, () => {
    it.scoped("lines, files in the order of the tree, only what version control would see", () =>
      Effect.gen(function* () {
        const folder = yield* withFiles({
          "b.ts": "one\nneedle two\n",
          "a/x.ts": "needle\r\n",
          "a.txt": "a needle",
          ".hidden/y.ts": "needle",
          ".git/config": "needle",
          "dist/out.ts": "needle",
          "a/x.log": "needle",
          "a/keep.log": "needle",
          "binary.ts": "needle\n\0",
          ".gitignore": "dist/\n*.log\n",
          "a/.gitignore": "!keep.log\n",
          ".ignore": "b.ts\n"
        })
        yield* Effect.promise(() => symlink("b.ts", join(folder, "link.ts")))
        const all = [
          ".hidden/y.ts:1: needle",
          "a/keep.log:1: needle",
          "a/x.ts:1: needle",
          "a.txt:1: a needle",
          "b.ts:2: needle two"
        ]
        assert.deepStrictEqual(yield* run(grep(folder), { pattern: "needle" }), said(all.join("\n")))
        assert.strictEqual(yield* found(folder, { pattern: "needle", path: "a" }), all.slice(1, 3).join("\n"))
        assert.strictEqual(yield* found(join(folder, "a"), { pattern: "two", path: ".." }), `${folder}/${all[4]}`)
        assert.strictEqual(yield* found(folder, { pattern: "needle", path: "dist/out.ts" }), "dist/out.ts:1: needle")
        assert.strictEqual(yield* found(folder, { pattern: "haystack" }), "No matches found")
        const globs: ReadonlyArray<readonly [string, ReadonlyArray<number>]> = [
          ["*.ts", [0, 2, 4]],
          ["*.log", [1]],
          ["a/*", [1, 2]],
          ["**/*.{ts,txt}", [0, 2, 3, 4]],
          ["!*.ts", [1, 3]],
          ["/*.ts", [4]],
          ["a/**", [1, 2]],
          ["*.none", []]
        ]
        for (const [glob, expected] of globs) {
          const lines = expected.map((i) => all[i]).join("\n")
          assert.strictEqual(yield* found(folder, { pattern: "needle", glob }), lines || "No matches found", glob)
        }
      })
    )

    it.scoped("limit: the first ones, and a notice only when there are more", () =>
      Effect.gen(function* () {
        const files = Array.from({ length: 30 }, (_, i) => [`f${String(i).padStart(2, "0")}`, "x\nx\n"] as const)
        const folder = yield* withFiles(Object.fromEntries(files))
        const lines = files.flatMap(([path]) => [`${path}:1: x`, `${path}:2: x`])
        const notice = "[7 matches limit reached. Use limit=14 for more, or a narrower pattern or path.]"
        assert.deepStrictEqual(
          yield* run(grep(folder), { pattern: "x", limit: 7 }),
          said(`${lines.slice(0, 7).join("\n")}\n\n${notice}`, { matchLimitReached: 7 })
        )
        assert.deepStrictEqual(yield* run(grep(folder), { pattern: "x", limit: 60 }), said(lines.join("\n")))
        const one = yield* run(grep(folder), { pattern: "x", path: "f03", limit: 1 })
        assert.deepStrictEqual(one.details, { matchLimitReached: 1 })
      })
    )

    it.scoped("context lines, joined where they touch, parted where they do not", () =>
      Effect.gen(function* () {
        const folder = yield* withFiles({ a: "1\nx\n3\n4\nx\n6\n7\n8\n9\nx", b: "x\r\n2\r\n" })
        const blocks = [
          ["a-1- 1", "a:2: x", "a-3- 3", "a-4- 4", "a:5: x", "a-6- 6"],
          ["a-9- 9", "a:10: x"],
          ["b:1: x", "b-2- 2"]
        ]
        assert.strictEqual(
          yield* found(folder, { pattern: "x", context: 1 }),
          blocks.map((block) => block.join("\n")).join("\n--\n")
        )
      })
    )

    it.scoped("long lines and long results are cut", () =>
      Effect.gen(function* () {
        const folder = yield* withFiles({ a: `x${"y".repeat(498)}🧵z\n${"x".repeat(500)}\n${"x".repeat(2_000_000)}\n` })
        const cut = `a:1: x${"y".repeat(498)}... [truncated]\na:2: ${"x".repeat(500)}\na:3: ${"x".repeat(500)}... [truncated]`
        assert.deepStrictEqual(yield* run(grep(folder), { pattern: "^x" }), said(cut, { linesTruncated: true }))
        const many = yield* withFiles({ b: `${"x".repeat(300)}\n`.repeat(400) })
        const output = yield* run(grep(many), { pattern: "x", limit: 1000 })
        assert.match(textOf(output), /\n\n\[Showing 166 of 400 lines: 50 KiB limit reached\.\]$/)
        assert.deepStrictEqual(Object.keys(output.details ?? {}), ["truncation"])
      })
    )

    it.scoped("patterns: case, plain text, look-around, what is no pattern", () =>
      Effect.gen(function* () {
        const folder = yield* withFiles({ a: "Foo(1)\nfoo[2]\nbar{\n-x --y\naa\n", "-b": "\uFEFFstart" })
        const cases: ReadonlyArray<readonly [Record<string, unknown>, string]> = [
          [{ pattern: "foo", ignoreCase: true }, "1,2"],
          [{ pattern: "(1)", literal: true }, "1"],
          [{ pattern: "foo[", literal: true }, "2"],
          [{ pattern: "foo(?=\\[)" }, "2"],
          [{ pattern: "(a)\\1" }, "5"],
          [{ pattern: "bar{" }, "3"],
          [{ pattern: "--y" }, "4"],
          [{ pattern: "^start$", path: "./-b" }, "1"],
          [{ pattern: "^(a+)+$" }, "5"]
        ]
        for (const [args, expected] of cases) {
          const lines = (yield* found(folder, args)).split("\n").map((text) => /^[^:]*:(\d+): /.exec(text)?.[1])
          assert.strictEqual(lines.join(","), expected, JSON.stringify(args))
        }
        assert.match(
          yield* refusal(grep(folder), folder, { pattern: "a(b" }),
          /^Invalid pattern: .*set literal to search/
        )
        assert.match(yield* refusal(grep(folder), folder, { pattern: "a\nb" }), /^The pattern contains a line break/)
        assert.strictEqual(yield* refusal(grep(folder), folder, { pattern: "a", path: "no" }), "File not found: ./no")
        yield* Effect.sync(() => Bun.spawnSync(["mkfifo", join(folder, "fifo")]))
        assert.deepStrictEqual(
          [
            yield* refusal(grep(folder), folder, { pattern: "a", path: "fifo" }),
            yield* found(folder, { pattern: "Foo" }),
            yield* refusal(grep(folder), folder, { pattern: "", context: -1, glob: 1, literal: "no" })
          ],
          [
            "Cannot search ./fifo: it is a FIFO, not a regular file",
            "a:1: Foo(1)",
            'Invalid arguments for grep: pattern: Expected a non empty string, actual ""; glob: Expected string, actual 1; literal: Expected boolean, actual "no"; context: Expected a non-negative number, actual -1'
          ]
        )
      })
    )

    it.scoped("an interrupt ends the search", () =>
      Effect.gen(function* () {
        const folder = yield* withFiles(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`${i}`, "x\n"])))
        const fiber = yield* Effect.fork(run(grep(folder), { pattern: "never" }))
        // The search has begun, and nothing of it can come back within the same turn of the event loop.
        yield* Effect.yieldNow()
        assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)))
      })
    )

    it.scoped("time that is up ends the search, and the result says that files are left", () =>
      Effect.gen(function* () {
        const folder = yield* withFiles({ a: "x" })
        const hasty: Engine = (query) => engine({ ...query, maxMillis: -1 })
        assert.strictEqual(
          textOf(yield* run(Grep.make({ cwd: folder, engine: hasty, machine }), { pattern: "never" })),
          "[Stopped after 30 seconds; files are left. Narrow the path or the glob.]"
        )
      })
    )

    it.scoped("property: the same as looking at every line of every file", () =>
      Effect.gen(function* () {
        for (const tree of fc.sample(randomTree, 12)) {
          const files = Object.fromEntries(
            Object.entries(tree).map(([path, [lines, ending, closed]]) => [
              path,
              lines.join(ending) + (closed && lines.length > 0 ? ending : "")
            ])
          )
          const folder = yield* withFiles(files)
          for (const query of queries) {
            const expected = reference(files, query)
            assert.strictEqual(yield* found(folder, query), expected, JSON.stringify({ files, query }))
          }
        }
      })
    )

    it.scoped("an empty folder, and a folder given through a link", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* found(yield* tempFolder, { pattern: "x" }), "No matches found")
        const folder = yield* withFiles({ "real/a": "x" })
        yield* Effect.promise(() => symlink("real", join(folder, "link")))
        assert.strictEqual(yield* found(folder, { pattern: "x", path: "link" }), "link/a:1: x")
        assert.strictEqual(yield* found(join(folder, "link"), { pattern: "x" }), "a:1: x")
      })
    )
  })
}

describe("a pattern with nested repetition", () => {
  const pattern = "(a+)+$"
  const folder = withFiles({ "traps.txt": `${"a".repeat(60)}!\n`.repeat(200), "b.txt": "aaa\n" })

  it.scopedLive("holds up nothing else, and an interrupt ends it", () =>
    Effect.gen(function* () {
      const isRead = yield* Deferred.make<void>()
      const files = Files.of({
        ...LocalFiles.service,
        open: (path) =>
          Effect.map(LocalFiles.service.open(path), (file) => ({
            ...file,
            read: (position) => Effect.tap(file.read(position), () => Deferred.succeed(isRead, undefined))
          }))
      })
      const grep = Grep.make({
        cwd: yield* folder,
        engine: BuiltInSearch.search,
        machine: Context.add(machine, Files, files)
      })
      const fiber = yield* Effect.fork(run(grep, { pattern, path: "traps.txt" }))
      // What was read is searched in the same turn of the event loop, unless a thread does it.
      yield* Deferred.await(isRead)
      const began = performance.now()
      yield* Effect.repeatN(EventLoop.nextTurn, 100)
      assert.strictEqual(fiber.unsafePoll(), null)
      yield* Fiber.interrupt(fiber)
      assert.isBelow(performance.now() - began, 1000)
    })
  )

  it.scopedLive("has its limit of time, and what was found until then", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const limited: Engine = (query) => BuiltInSearch.search({ ...query, maxMillis: 300 })
      const began = performance.now()
      const grep = Grep.make({ cwd, engine: limited, machine })
      assert.match(textOf(yield* run(grep, { pattern, path: "traps.txt" })), /^\[Stopped after 30 seconds/)
      assert.isBelow(performance.now() - began, 2000)
    })
  )
})
