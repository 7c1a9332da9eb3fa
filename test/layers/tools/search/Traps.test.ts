/** Trees with links to devices, and with FIFOs: a search neither waits for them nor reads them into memory. */
import { spawnSync } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Process from "../../../../src/layers/machine/processes/Process.ts"
import * as Edit from "../../../../src/layers/tools/edit/Edit.ts"
import * as Find from "../../../../src/layers/tools/search/Find.ts"
import * as Grep from "../../../../src/layers/tools/search/Grep.ts"
import * as Ls from "../../../../src/layers/tools/files/Ls.ts"
import * as FileLedger from "../../../../src/layers/tools/files/FileLedger.ts"
import * as BuiltInSearch from "../../../../src/layers/tools/search/BuiltInSearch.ts"
import * as RipgrepSearch from "../../../../src/layers/tools/search/RipgrepSearch.ts"
import type { Engine } from "../../../../src/layers/tools/search/Search.ts"
import { machine, refusal, run, textOf } from "../RunTool.ts"
import { withFiles } from "../TempFolder.ts"

const program = Effect.runSync(Process.ripgrep)
const engines: Readonly<Record<string, Engine>> = {
  "built-in": BuiltInSearch.search,
  ...(program === undefined ? {} : { ripgrep: RipgrepSearch.make(program) })
}

const fifo = (path: string) => assert.strictEqual(spawnSync("mkfifo", [path]).status, 0)
const endless = (path: string) => symlinkSync("/dev/zero", path)

const traps: ReadonlyArray<readonly [string, (folder: string) => void]> = [
  ["an ignore file at the root that links to a device", (folder) => endless(join(folder, ".gitignore"))],
  ["an ignore file in a folder that links to a device", (folder) => endless(join(folder, "src/deep/.gitignore"))],
  ["an ignore file that is a FIFO", (folder) => fifo(join(folder, ".gitignore"))],
  ["an ignore file in a folder that is a FIFO", (folder) => fifo(join(folder, "src/deep/.gitignore"))],
  [
    "an ignore file in a folder that links to a FIFO and is ignored itself",
    (folder) => {
      fifo(join(folder, "src/pipe"))
      writeFileSync(join(folder, "src/.gitignore"), ".gitignore\n")
      symlinkSync("../pipe", join(folder, "src/deep/.gitignore"))
    }
  ],
  [
    "files that are links to devices, and FIFOs",
    (folder) => {
      endless(join(folder, "src/zero.txt"))
      fifo(join(folder, "src/pipe.txt"))
      endless(join(folder, ".ignore"))
      fifo(join(folder, ".rgignore"))
    }
  ],
  [
    "a .git that is a FIFO, or links to a device",
    (folder) => {
      fifo(join(folder, ".git"))
      endless(join(folder, "src/.git"))
    }
  ]
]

const tree = (trap: (folder: string) => void) =>
  Effect.tap(withFiles({ a: "needle\n", "src/b": "needle\n", "src/deep/c": "needle\n" }), (folder) =>
    Effect.sync(() => trap(folder))
  )

describe.each(Object.entries(engines))("%s", (_, engine) => {
  it.scopedLive.each(traps)("finds everything beside %s", ([, trap]) =>
    Effect.gen(function* () {
      const folder = yield* tree(trap)
      const found = yield* run(Grep.make({ cwd: folder, engine, machine }), { pattern: "needle" })
      assert.strictEqual(textOf(found), "a:1: needle\nsrc/b:1: needle\nsrc/deep/c:1: needle")
    })
  )

  it.scopedLive("looks above the folder with the same care", () =>
    Effect.gen(function* () {
      const folder = yield* tree((folder) => fifo(join(folder, ".gitignore")))
      mkdirSync(join(folder, ".git"))
      const found = yield* run(Grep.make({ cwd: join(folder, "src"), engine, machine }), { pattern: "needle" })
      assert.strictEqual(textOf(found), "b:1: needle\ndeep/c:1: needle")
    })
  )
})

it.scopedLive.each(traps)("find lists everything beside %s", ([, trap]) =>
  Effect.gen(function* () {
    const folder = yield* tree(trap)
    const found = yield* run(Find.make({ cwd: folder, machine }), { pattern: "[abc]" })
    assert.strictEqual(textOf(found), "a\nsrc/b\nsrc/deep/c")
  })
)

it.scopedLive("an ignore file that links out of its folder does not count; ls and edit do not touch a FIFO", () =>
  Effect.gen(function* () {
    const rules = yield* withFiles({ rules: "a\n" })
    const folder = yield* tree((folder) => symlinkSync(join(rules, "rules"), join(folder, ".gitignore")))
    const built = Grep.make({ cwd: folder, engine: BuiltInSearch.search, machine })
    assert.include(textOf(yield* run(built, { pattern: "needle" })), "a:1: needle")
    fifo(join(folder, "pipe"))
    assert.deepStrictEqual(
      [
        yield* refusal(Edit.make({ cwd: folder, machine, ledger: FileLedger.make() }), folder, {
          path: "pipe",
          edits: [{ oldText: "a", newText: "b" }]
        }),
        yield* refusal(Ls.make({ cwd: folder, machine }), folder, { path: "pipe" })
      ],
      ["Cannot edit ./pipe: it is a FIFO, not a regular file", "Not a directory: ./pipe. Use read to see a file."]
    )
  })
)
