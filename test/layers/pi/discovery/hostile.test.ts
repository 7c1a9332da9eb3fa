/** Folders that somebody has prepared: a search ends, finds the others, and says what it left out. */
import { spawnSync } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Look from "../../../../src/layers/pi/discovery/Look.ts"
import { code, makeUser, manifest, search } from "./support.ts"

it.scoped("links in circles, links that lead nowhere, FIFOs and devices", () =>
  Effect.gen(function* () {
    const root = yield* makeUser({ "agent/extensions/good.ts": code, "agent/extensions/pack/index.ts": code })
    const at = (name: string) => join(root, "agent/extensions", name)
    symlinkSync(".", at("self"))
    symlinkSync("circle.ts", at("circle.ts"))
    symlinkSync("gone", at("nowhere.ts"))
    symlinkSync("/dev/zero", at("device.ts"))
    spawnSync("mkfifo", [at("fifo.ts")])
    mkdirSync(at("odd"))
    spawnSync("mkfifo", [at("odd/package.json"), at("odd/index.ts")])
    const { extensions, problems } = yield* search(root)
    assert.deepStrictEqual(extensions, ["agent/extensions/good.ts", "agent/extensions/pack/index.ts"])
    const odd = "is neither a file nor a folder, or a link that leads nowhere"
    assert.deepStrictEqual(problems, [
      ...["circle", "device", "fifo", "nowhere"].map((name) => `agent/extensions/${name}.ts: ${odd}`),
      "agent/extensions/odd/package.json: is a FIFO, not a file"
    ])
  })
)

it.scoped("manifests that are huge, deep, no object, or name each other in a circle", () =>
  Effect.gen(function* () {
    const lists = (name: string) => manifest({ pi: { extensions: [`../${name}`, "../**", "*".repeat(600)] } })
    const root = yield* makeUser({
      "agent/extensions/a/package.json": lists("b"),
      "agent/extensions/b/package.json": lists("a"),
      "agent/extensions/deep/package.json": `${'{"pi":'.repeat(5000)}1${"}".repeat(5000)}`,
      "agent/extensions/deep/index.ts": code,
      "agent/extensions/huge/package.json": `{"pi":{"extensions":["x.ts"]},"a":"${"x".repeat(2 ** 20)}"}`,
      "agent/extensions/huge/x.ts": code,
      "agent/extensions/list/package.json": "[]",
      "agent/extensions/text/package.json": manifest({ pi: { extensions: [1, null, {}, "ok.ts"] } }),
      "agent/extensions/text/ok.ts": code
    })
    const { extensions, problems } = yield* search(root)
    assert.sameMembers(
      [...extensions],
      ["deep/index.ts", "text/ok.ts"].map((name) => `agent/extensions/${name}`)
    )
    const texts = problems.map((text) => text.replace("agent/extensions/", "").replace(/JSON: .*/, "JSON"))
    assert.includeMembers(texts, [
      "deep/package.json: is not a manifest in JSON",
      "huge/package.json: is larger than 1024 KiB",
      "list/package.json: is not a manifest in JSON"
    ])
  })
)

it.scoped(
  "a folder with 10,100 files: the first thousand extensions, and two problems",
  () =>
    Effect.gen(function* () {
      const root = yield* makeUser({ "agent/extensions/": "", "work/.heddle/extensions/p.ts": code })
      for (let at = 0; at < 10_100; at++) writeFileSync(join(root, `agent/extensions/x${at}.ts`), "")
      const { extensions, problems } = yield* search(root)
      assert.strictEqual(extensions.length, 1000)
      assert.strictEqual(extensions[0], "work/.heddle/extensions/p.ts")
      assert.strictEqual(problems.length, 2)
      assert.match(problems[0] ?? "", /^agent\/extensions: has more than 10000 entries/)
      assert.match(problems[1] ?? "", /there are more than 1000 extensions; this one and all after it were left out$/)
    }),
  // A busy disk needs seconds to make that many files.
  { timeout: 60_000 }
)

it.scoped("a folder that cannot be read is a problem, and the others are read", () =>
  Effect.gen(function* () {
    const root = yield* makeUser({ "work/.heddle/extensions/p.ts": code })
    symlinkSync("extensions", join(root, "agent/extensions"))
    const { extensions, problems } = yield* search(root)
    assert.deepStrictEqual(extensions, ["work/.heddle/extensions/p.ts"])
    assert.deepStrictEqual(problems, ["agent/extensions: is a link to itself"])
  })
)

it.scoped("a look that has read enough leaves later folders out, and says so", () =>
  Effect.gen(function* () {
    const root = yield* makeUser({ "a/1": "", "a/2": "", "a/3": "", "b/1": "", "b/2": "", "c/1": "" })
    const look = yield* Look.make({ bounds: { inFolder: 2, inAll: 3 } })
    const names = yield* Effect.forEach(["a", "b", "c"], (name) => look.entries(join(root, name)))
    assert.deepStrictEqual(
      names.map((entries) => entries.length),
      [2, 1, 0]
    )
    assert.deepStrictEqual(yield* look.problems, [
      { path: join(root, "a"), message: "has more than 2 entries that can be looked at; the others were left out" },
      { path: join(root, "b"), message: "has more than 1 entries that can be looked at; the others were left out" },
      { path: join(root, "c"), message: "was not looked at: 3 entries of other folders were" }
    ])
  })
)

it.scoped("a file where the folder of extensions should be", () =>
  Effect.gen(function* () {
    const root = yield* makeUser({ "agent/extensions": "", "work/.heddle/extensions/p.ts": code })
    const { extensions, problems } = yield* search(root)
    assert.deepStrictEqual(extensions, ["work/.heddle/extensions/p.ts"])
    assert.deepStrictEqual(problems, ["agent/extensions: is not a folder"])
  })
)
