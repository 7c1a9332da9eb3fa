/** What extensions import is found without running it, within bounds. */
import { spawnSync } from "node:child_process"
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Imports from "../../../../src/layers/workspace/trust/Imports.ts"
import * as ProjectCode from "../../../../src/layers/workspace/trust/ProjectCode.ts"
import { makeUser } from "../../pi/discovery/support.ts"

const entry = "work/.heddle/extensions/x/index.ts"

const project = Effect.fnUntraced(function* (code: string, files: Readonly<Record<string, string>> = {}) {
  const root = yield* makeUser({ [entry]: code, ...files })
  const place = { agentDir: join(root, "agent"), cwd: join(root, "work"), roots: [] }
  const read = Effect.flatMap(ProjectCode.read(place), (found) => Imports.read(found, place.cwd))
  return { root, read, names: Effect.map(read, (found) => found && [...found.parts.keys()]) }
})

it.scoped(
  "imports of every form, with what they import; neither types, nor built-in modules, nor what heddle serves",
  () =>
    Effect.gen(function* () {
      const { names } = yield* project(
        `import { a } from "../../../src/a"
       import type { T } from "../../../src/types.ts"
       import "../../../src/effect.js"
       export * from "../../../src/star.mts"
       import both from "both"
       import fs from "node:fs"
       import { Type } from "typebox"
       import { x } from "@mariozechner/pi-coding-agent"
       import data from "../../../src/data.json"
       import gone from "not-there"
       import { own } from "./own.ts"
       const later = () => [import("../../../src/later.tsx"), require("../../../src/old.cjs"), require("both"), require("fs")]
       export default () => [a, both, fs, Type, x, data, gone, own, later]`,
        {
          "work/.heddle/extensions/x/own.ts": 'import "../../../src/deep.ts"; export const own = 1',
          "work/src/a.ts": 'import "./b.ts"; export const a = 1',
          "work/src/b.ts": 'import "./a.ts"',
          "work/src/types.ts": "export type T = string",
          "work/src/effect.js": "1",
          "work/src/star.mts": "export const s = 1",
          "work/src/data.json": "{}",
          "work/src/later.tsx": "export const l = 1",
          "work/src/old.cjs": "exports.o = 1",
          "work/src/deep.ts": "1",
          "work/src/unused.ts": "1",
          "work/node_modules/both/package.json":
            '{"name":"both","exports":{"import":"./module.mjs","require":"./common.cjs"}}',
          "work/node_modules/both/module.mjs": "export default 1",
          "work/node_modules/both/common.cjs": "module.exports = 1",
          "work/node_modules/@mariozechner/pi-coding-agent/package.json":
            '{"name":"@mariozechner/pi-coding-agent","main":"main.js"}',
          "work/node_modules/@mariozechner/pi-coding-agent/main.js": "1",
          "work/node_modules/typebox/index.js": "1"
        }
      )
      assert.deepStrictEqual(yield* names, [
        "node_modules/both/common.cjs",
        "node_modules/both/module.mjs",
        "src/a.ts",
        "src/b.ts",
        "src/data.json",
        "src/deep.ts",
        "src/effect.js",
        "src/later.tsx",
        "src/old.cjs",
        "src/star.mts"
      ])
    })
)

it.scoped("files behind links count by where they are, also outside of the project", () =>
  Effect.gen(function* () {
    const { names, root } = yield* project('import "./in/a.ts"; import "./out/b.ts"', {
      "work/lib/a.ts": "1",
      "other/b.ts": 'import "./c.ts"',
      "other/c.ts": "1"
    })
    symlinkSync("../../../lib", join(root, "work/.heddle/extensions/x/in"))
    symlinkSync("../../../../other", join(root, "work/.heddle/extensions/x/out"))
    assert.deepStrictEqual(yield* names, [join(root, "other/b.ts"), join(root, "other/c.ts"), "lib/a.ts"])
  })
)

it.scoped("code that is no code, FIFOs and devices are passed by", () =>
  Effect.gen(function* () {
    const { names, root } = yield* project(
      'import "../../../a.ts"; import "../../../fifo.ts"; import "../../../zero.ts"',
      {
        "work/a.ts": "import ( { { from"
      }
    )
    spawnSync("mkfifo", [join(root, "work/fifo.ts")])
    symlinkSync("/dev/zero", join(root, "work/zero.ts"))
    assert.deepStrictEqual(yield* names, ["a.ts"])
  })
)

it.scoped("more than the bounds allow is nothing", () =>
  Effect.gen(function* () {
    const { names } = yield* project('import "../../../large.ts"', { "work/large.ts": "//".padEnd(64 * 1024 ** 2) })
    assert.isUndefined(yield* names)
  })
)
