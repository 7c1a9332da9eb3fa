/** Trees of an untrusted project are read to the end or not at all, whatever somebody has put into them. */
import { spawnSync } from "node:child_process"
import { rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ProjectCode from "../../../../src/layers/workspace/trust/ProjectCode.ts"
import * as TreeDigest from "../../../../src/layers/workspace/trust/TreeDigest.ts"
import { withFiles } from "../../tools/TempFolder.ts"

const digestOf = (folder: string) =>
  Effect.map(TreeDigest.ofAll([folder], dirname(folder)), ({ digests }) => digests.get(folder))

it.scoped("names, contents, kinds and links count; times, modes, .git and the place do not", () =>
  Effect.gen(function* () {
    const files = { "t/a.ts": "1", "t/b/c.ts": "2", "t/.git/HEAD": "x" }
    const [one, two] = [yield* withFiles(files), yield* withFiles({ ...files, "t/.git/HEAD": "y" })]
    const first = yield* digestOf(join(one, "t"))
    assert.strictEqual(yield* digestOf(join(two, "t")), first)
    const differs = (change: () => void, restore: () => void) =>
      Effect.gen(function* () {
        change()
        assert.notStrictEqual(yield* digestOf(join(two, "t")), first)
        restore()
        assert.strictEqual(yield* digestOf(join(two, "t")), first)
      })
    const at = (name: string) => join(two, "t", name)
    yield* differs(
      () => writeFileSync(at("b/c.ts"), "3"),
      () => writeFileSync(at("b/c.ts"), "2")
    )
    yield* differs(
      () => writeFileSync(at("new"), ""),
      () => rmSync(at("new"))
    )
    yield* differs(
      () => symlinkSync("gone", at("link")),
      () => rmSync(at("link"))
    )
    yield* differs(
      () => rmSync(at("a.ts")),
      () => writeFileSync(at("a.ts"), "1")
    )
  })
)

it.scoped("a link to a file of the project counts with its content, one out of it with its stamp", () =>
  Effect.gen(function* () {
    const [project, outside] = [yield* withFiles({ inside: "1", "t/": "" }), yield* withFiles({ file: "1" })]
    symlinkSync("../inside", join(project, "t/in"))
    symlinkSync(join(outside, "file"), join(project, "t/out"))
    const first = yield* digestOf(join(project, "t"))
    assert.strictEqual(yield* digestOf(join(project, "t")), first)
    writeFileSync(join(project, "inside"), "2")
    const second = yield* digestOf(join(project, "t"))
    assert.notStrictEqual(second, first)
    writeFileSync(join(outside, "file"), "22")
    assert.notStrictEqual(yield* digestOf(join(project, "t")), second)
  })
)

it.scoped("circles and links to the whole machine are not followed, FIFOs, devices and endless files not read", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ "t/a.ts": "1" })
    const before = yield* digestOf(join(folder, "t"))
    for (const [name, target] of [
      ["self", "."],
      ["up", ".."],
      ["root", "/"],
      ["device", "/dev/zero"]
    ] as const) {
      symlinkSync(target, join(folder, "t", name))
    }
    symlinkSync("/proc/self/pagemap", join(folder, "t/endless"))
    spawnSync("mkfifo", [join(folder, "t/fifo")])
    symlinkSync("/", join(folder, "all"))
    const places = [join(folder, "t"), join(folder, "all"), join(folder, "t/endless")]
    const { digests, isWhole } = yield* TreeDigest.ofAll(places, folder)
    assert.deepStrictEqual([isWhole, [...digests.keys()]], [true, places])
    assert.notStrictEqual(digests.get(join(folder, "t")), before)
  })
)

it.scoped("a project of links out of its folder is looked at without reading behind them", () =>
  Effect.gen(function* () {
    const root = yield* withFiles({
      "agent/": "",
      "other/index.ts": "1",
      "other/lib.ts": "1",
      "work/.heddle/extensions/x/": ""
    })
    const at = (name: string) => join(root, "work/.heddle", name)
    symlinkSync("/proc/self/pagemap", at("extensions/x/package.json"))
    symlinkSync("/proc/self/pagemap", at("settings.json"))
    symlinkSync("/proc/self/pagemap", at("extensions/y.ts"))
    symlinkSync("../../../other", at("extensions/z"))
    const place = { agentDir: join(root, "agent"), cwd: join(root, "work"), roots: [] }
    const { extensions, parts } = yield* ProjectCode.read(place)
    assert.deepStrictEqual(extensions.slice(1), [join(root, "other/index.ts")])
    assert.includeMembers([...parts.keys()], [".heddle/extensions/z", join(root, "other/index.ts")])
    const { digest } = yield* ProjectCode.read(place)
    assert.strictEqual(digest, undefined) // y.ts has no end
  })
)

it.scoped("a tree with more than 64 MiB has no digest, so no answer is tied to it", () =>
  Effect.gen(function* () {
    const root = yield* withFiles({
      "agent/": "",
      "work/.heddle/extensions/big/index.ts": "",
      "work/.heddle/extensions/a.ts": ""
    })
    const big = join(root, "work/.heddle/extensions/big/data")
    writeFileSync(big, "")
    truncateSync(big, 64 * 1024 ** 2 + 1)
    const place = { agentDir: join(root, "agent"), cwd: join(root, "work"), roots: [] }
    const { digest, extensions, parts } = yield* ProjectCode.read(place)
    assert.strictEqual(digest, undefined)
    assert.deepStrictEqual(extensions, [".heddle/extensions/a.ts", ".heddle/extensions/big/index.ts"])
    assert.deepStrictEqual([...parts.keys()], [".heddle/extensions/a.ts"])
    truncateSync(big, 1024)
    assert.match((yield* ProjectCode.read(place)).digest ?? "", /^[0-9a-f]{64}$/)
  })
)
