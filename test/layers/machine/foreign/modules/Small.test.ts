/** The functions of the machine that importable modules use. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Programs from "../../../../../src/layers/machine/foreign/modules/Programs.ts"
import * as ReadNow from "../../../../../src/layers/machine/foreign/modules/ReadNow.ts"
import * as Engine from "../../../../../src/layers/machine/engine/Engine.ts"
import * as IsoTime from "../../../../../src/layers/machine/engine/IsoTime.ts"
import { withFiles } from "../../../tools/TempFolder.ts"

it("ids sort by the time they were given", () => {
  assert.isBelow(Engine.uuidv7(1).localeCompare(Engine.uuidv7(2)), 0)
  assert.strictEqual(IsoTime.toDate(IsoTime.systemNow()).toISOString().length, 24)
})

it.scoped("files are read at once, or not at all", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ "a.txt": "a", "sub/": "", "b.jsonl": "" })
    assert.strictEqual(new TextDecoder().decode(ReadNow.bytes(`${folder}/a.txt`)), "a")
    assert.deepStrictEqual(
      [ReadNow.textIfPresent(`${folder}/a.txt`), ReadNow.textIfPresent(`${folder}/none`)],
      ["a", undefined]
    )
    assert.deepStrictEqual([ReadNow.folders(folder), ReadNow.folders(`${folder}/none`)], [[`${folder}/sub`], []])
    assert.deepStrictEqual(
      [ReadNow.newest(folder, ".jsonl"), ReadNow.newest(folder, ".x")],
      [`${folder}/b.jsonl`, undefined]
    )
  })
)

/** A PATH with nothing but this program in it. */
const withOnly = <A>(path: string, work: () => Promise<A>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const before = process.env["PATH"]
      process.env["PATH"] = path
      return before
    }),
    () => Effect.promise(work),
    (before) => Effect.sync(() => (process.env["PATH"] = before))
  )

it.scopedLive("the clipboard is a program that the machine has", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({})
    mkdirSync(`${folder}/bin`)
    const copy = () => Programs.copyToClipboard("woven").catch(String)
    assert.match(String(yield* withOnly(`${folder}/bin`, copy)), /no program that copies/)
    writeFileSync(`${folder}/bin/wl-copy`, `#!/bin/sh\nread -r text\necho "$text" > ${folder}/copied\n`)
    chmodSync(`${folder}/bin/wl-copy`, 0o755)
    assert.isUndefined(yield* withOnly(`${folder}/bin`, copy))
    assert.strictEqual(ReadNow.textIfPresent(`${folder}/copied`), "woven\n")
    writeFileSync(`${folder}/bin/wl-copy`, "#!/bin/sh\nexit 4\n")
    assert.match(String(yield* withOnly(`${folder}/bin`, copy)), /wl-copy has ended with code 4/)
    assert.strictEqual(Programs.find("no-such-program-anywhere"), "no-such-program-anywhere")
  })
)
