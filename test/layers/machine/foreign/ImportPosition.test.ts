import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ForeignCall from "../../../../src/layers/machine/foreign/ForeignCall.ts"
import * as ImportPosition from "../../../../src/layers/machine/foreign/ImportPosition.ts"
import * as Modules from "../../../../src/layers/machine/foreign/Modules.ts"
import { withFiles } from "../../tools/TempFolder.ts"

it.scoped.each<readonly [string, string, string | undefined]>([
  ["a.ts", 'import type { X } from "x"\nimport {\n  gone\n} from "./gone.ts"\nexport default () => gone\n', "a.ts:4:8"],
  ["b.ts", "import gone from 'not-installed/part'\nexport default () => gone\n", "b.ts:1:18"],
  ["c.ts", 'import "./other.ts"\nexport default () => {}\n', "other.ts:2:8"],
  ["d.ts", 'const name = "./gone.ts"\nawait import(name)\nexport default () => {}\n', undefined],
  ["e.cjs", 'module.exports = () => {}\nrequire("./gone.cjs")\n', "e.cjs:2:9"]
])("%s: an import that leads nowhere is found by its line", ([name, content, wanted]) =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ "other.ts": '// from "gone"\nimport "gone"\n', [name]: content })
    const failure = yield* Effect.flip(Modules.load(join(folder, name)))
    assert.include(failure.message, "Cannot find ")
    assert.strictEqual(
      ForeignCall.located(failure, `${folder}/`).location,
      wanted === undefined ? wanted : `${folder}/${wanted}`
    )
  })
)

it.scoped("only an error of the engine names a file that is read", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ "a.ts": "" })
    const file = join(folder, "a.ts")
    writeFileSync(file, 'import "x"\n')
    const prototype: unknown = Reflect.get(Reflect.get(globalThis, "ResolveMessage"), "prototype")
    const forged: unknown = Object.create(Object(prototype), {
      referrer: { value: file },
      specifier: { value: "x" }
    })
    for (const thrown of [forged, { referrer: file, specifier: "x" }, new Error("x"), "x", undefined]) {
      assert.isUndefined(ImportPosition.of(thrown))
    }
  })
)
