import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { symlink } from "node:fs/promises"
import { join } from "node:path"
import * as Find from "../../../../src/layers/tools/search/Find.ts"
import { machine, refusal, run, said, textOf } from "../RunTool.ts"
import { withFiles } from "../TempFolder.ts"

const found = (cwd: string, args: Record<string, unknown>) => Effect.map(run(Find.make({ cwd, machine }), args), textOf)

it.scoped("finds names and paths, with what .gitignore files exclude left out", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({
      "src/a.ts": "",
      "src/deep/b.ts": "",
      "src/deep/b.test.ts": "",
      ".config/c.ts": "",
      ".git/d.ts": "",
      "dist/e.ts": "",
      "src/f.log": "",
      ".gitignore": "dist\n*.log\n"
    })
    yield* Effect.promise(() => symlink("src", join(folder, "link.ts")))
    const cases: ReadonlyArray<readonly [Record<string, unknown>, ReadonlyArray<string>]> = [
      [{ pattern: "*.ts" }, [".config/c.ts", "link.ts", "src/a.ts", "src/deep/b.test.ts", "src/deep/b.ts"]],
      [{ pattern: "*.ts", path: "src/deep" }, ["src/deep/b.test.ts", "src/deep/b.ts"]],
      [{ pattern: "*.ts", path: `${folder}/dist` }, ["dist/e.ts"]],
      [{ pattern: "src/*.ts" }, ["src/a.ts"]],
      [{ pattern: "**/*.test.{ts,js}" }, ["src/deep/b.test.ts"]],
      [{ pattern: "de*" }, ["src/deep/"]],
      [{ pattern: "src/" }, ["src/"]],
      [{ pattern: "nothing" }, ["No files found matching pattern"]],
      [{ pattern: "*.log" }, ["No files found matching pattern"]]
    ]
    for (const [args, expected] of cases) {
      assert.strictEqual(yield* found(folder, args), expected.join("\n"), JSON.stringify(args))
    }
    assert.strictEqual(yield* found(join(folder, "dist"), { pattern: "a.ts", path: ".." }), `${folder}/src/a.ts`)
  })
)

it.scoped("stops at the limit, says so only when there is more, and cuts long results", () =>
  Effect.gen(function* () {
    const names = Array.from({ length: 300 }, (_, i) => `${String(i).padStart(3, "0")}${"x".repeat(197)}`)
    const folder = yield* withFiles(Object.fromEntries(names.map((name) => [name, ""])))
    const find = Find.make({ cwd: folder, machine })
    const notice = "[2 results limit reached. Use limit=4 for more, or a narrower pattern.]"
    assert.deepStrictEqual(
      yield* run(find, { pattern: "*", limit: 2 }),
      said(`${names[0]}\n${names[1]}\n\n${notice}`, { resultLimitReached: 2 })
    )
    assert.deepStrictEqual(yield* run(find, { pattern: "00[01]*", limit: 2 }), said(`${names[0]}\n${names[1]}`))
    const long = yield* run(find, { pattern: "*" })
    assert.match(textOf(long), /\n\n\[Showing 254 of 300 results: output limit reached\.\]$/)
    assert.deepStrictEqual(Object.keys(long.details ?? {}), ["truncation"])
  })
)

it.scoped("says what is wrong", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ file: "" })
    const find = Find.make({ cwd: folder, machine })
    assert.deepStrictEqual(
      [
        yield* refusal(find, folder, { pattern: "*", path: "file" }),
        yield* refusal(find, folder, { pattern: "*", path: "files" }),
        yield* refusal(find, folder, { limit: 0 })
      ],
      [
        "Not a directory: ./file. Use read to see a file.",
        "File not found: ./files. Did you mean ./file?",
        "Invalid arguments for find: pattern: is missing; limit: Expected a positive number, actual 0"
      ]
    )
  })
)
