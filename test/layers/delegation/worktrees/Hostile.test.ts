/** A repository must not choose programs that heddle runs, and its size must not fill heddle's memory. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  unlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Git from "../../../../src/layers/delegation/worktrees/Git.ts"
import * as LocalProcesses from "../../../../src/layers/machine/processes/LocalProcesses.ts"
import * as Snapshot from "../../../../src/layers/delegation/worktrees/Snapshot.ts"
import { tempFolder } from "../../tools/TempFolder.ts"
import * as Repos from "../../../support/git/Repos.ts"

const { git, put } = Repos

const hooks = [
  "post-checkout",
  "post-index-change",
  "reference-transaction",
  "pre-commit",
  "post-commit",
  "pre-applypatch",
  "post-applypatch",
  "fsmonitor-watchman"
]

/** Everything that can name a program names one that leaves a mark. */
const makeHostile = (folder: string, mark: string) => {
  const program = join(mark, "program")
  mkdirSync(mark)
  writeFileSync(program, `#!/bin/sh\ntouch "${mark}/ran-$(basename "$0")-$$"\ncat\n`)
  chmodSync(program, 0o755)
  for (const hook of hooks) put(folder, { [`.git/hooks/${hook}`]: readFileSync(program) })
  for (const hook of hooks) chmodSync(join(folder, ".git/hooks", hook), 0o755)
  const settings = {
    "core.fsmonitor": program,
    "core.editor": program,
    "core.pager": program,
    "core.sshCommand": program,
    "core.hooksPath": ".git/hooks",
    "commit.gpgSign": "true",
    "gpg.program": program,
    "diff.external": program,
    "diff.evil.command": program,
    "diff.evil.textconv": program,
    "merge.evil.driver": `${program} %A`,
    "merge.default": "evil",
    "merge.renormalize": "true",
    "filter.a=b.clean": program,
    "filter.a=b.smudge": program,
    "filter.evil.clean": program,
    "filter.evil.smudge": program,
    "filter.evil.required": "true",
    "filter.long.process": program,
    "extensions.partialClone": "evil",
    "remote.evil.promisor": "true",
    "remote.evil.url": `ext::${program}`,
    "protocol.ext.allow": "always"
  }
  for (const [key, value] of Object.entries(settings)) git(folder, "config", key, value)
  const ran = () => readdirSync(mark).filter((name) => name.startsWith("ran-"))
  return ran
}

it.scopedLive("no program of the repository runs: from the copy to the merge", () =>
  Effect.gen(function* () {
    const attributes = "*.txt filter=evil diff=evil merge=evil\n*.long filter=long\n*.ab filter=a=b\n"
    const folder = yield* Repos.withCommit({ ".gitattributes": attributes, "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n" })
    put(folder, { "b.long": "1\n", "c.ab": "1\n", "free.md": "1\n" })
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "more")
    const { worktrees } = yield* Repos.service
    const ran = makeHostile(folder, join(yield* tempFolder, "mark"))
    put(folder, { "a.txt": "0\n1\n2\n3\n4\n5\n6\n7\n8\n", "new.txt": "new\n", "new.long": "new\n" })
    const { patch, refused, name } = yield* Effect.scoped(
      Effect.gen(function* () {
        const one = yield* worktrees.open({ cwd: folder, id: "0-One" })
        assert.deepStrictEqual(Repos.files(one.root), Repos.files(folder))
        put(one.root, { "a.txt": "0\n1\n2\n3\n4\n5\n6\n7\nEIGHT\n", "b.long": "2\n", "free.md": "2\n" })
        const { patch } = yield* one.capture
        const refused = yield* Effect.flip(one.commitTo("heddle/task/0-One", "One"))
        put(one.root, { "a.txt": "0\n1\n2\n3\n4\n5\n6\n7\n8\n", "b.long": "1\n" })
        return { patch, refused, name: yield* one.commitTo("heddle/task/0-One", "One") }
      })
    )
    assert.include(refused.message, "a.txt needs the filter evil")
    assert.deepStrictEqual((yield* worktrees.mergeBranches(folder, [name])).merged, [name])
    put(folder, { "free.md": "1\n" })
    yield* worktrees.apply(folder, patch)
    assert.strictEqual(readFileSync(join(folder, "a.txt"), "utf8"), "0\n1\n2\n3\n4\n5\n6\n7\nEIGHT\n")
    yield* worktrees.sweep(folder)
    assert.deepStrictEqual(ran(), [])
  })
)

it.scopedLive("an object that is missing is not fetched", () =>
  Effect.gen(function* () {
    const folder = yield* Repos.withCommit({ "a.txt": "1\n" })
    const { folder: own, worktrees } = yield* Repos.service
    const hash = git(folder, "rev-parse", "HEAD:a.txt")
    // Long ago: git reads files again that are as new as the index, and would have the object then.
    utimesSync(join(folder, "a.txt"), 1, 1)
    git(folder, "update-index", "--refresh")
    const ran = makeHostile(folder, join(yield* tempFolder, "mark"))
    unlinkSync(join(folder, ".git/objects", hash.slice(0, 2), hash.slice(2)))
    const refused = yield* Effect.flip(Effect.scoped(worktrees.open({ cwd: folder, id: "0-Missing" })))
    assert.match(refused.message, /^git read-tree failed: .*a\.txt/)
    assert.deepStrictEqual(ran(), [])
    assert.isFalse(existsSync(own))
  })
)

it.scopedLive("no filter that an agent sets up in its copy runs when its changes are taken", () =>
  Effect.gen(function* () {
    const folder = yield* Repos.withCommit({ "a.txt": "1\n" })
    const mark = join(yield* tempFolder, "mark")
    const { worktrees } = yield* Repos.service
    const { capture, root } = yield* worktrees.open({ cwd: folder, id: "0-Evil" })
    git(folder, "config", "filter.evil.clean", `touch ${mark}; cat`)
    put(root, { ".gitattributes": "* filter=evil\n", "a.txt": "2\n" })
    assert.deepStrictEqual((yield* capture).files, [".gitattributes", "a.txt"])
    assert.isFalse(existsSync(mark))
  })
)

it.scopedLive("variables of git in the environment lead nowhere else", () =>
  Effect.gen(function* () {
    const folder = yield* Repos.withCommit({ "a.txt": "1\n" })
    const other = yield* Repos.withCommit({ "b.txt": "1\n" })
    const { worktrees } = yield* Repos.service
    process.env["GIT_DIR"] = join(other, ".git")
    process.env["GIT_INDEX_FILE"] = join(other, ".git/index")
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        delete process.env["GIT_DIR"]
        delete process.env["GIT_INDEX_FILE"]
      })
    )
    const { root } = yield* worktrees.open({ cwd: folder, id: "0-Env" })
    assert.deepStrictEqual(Object.keys(Repos.files(root)), ["a.txt"])
  })
)

it.scopedLive("an id cannot lead out of the folder", () =>
  Effect.gen(function* () {
    const folder = yield* Repos.withCommit({ "a.txt": "1\n" })
    const { folder: own, worktrees } = yield* Repos.service
    const ids = ["../../../escaped", "/etc", "..", "", "-rf", "a/b"]
    const roots = yield* Effect.forEach(ids, (id) =>
      Effect.map(worktrees.open({ cwd: folder, id }), ({ root }) => root)
    )
    for (const root of roots) assert.match(root.slice(own.length), /^\/[\w.-]+\/\w[\w-]*$/)
    assert.strictEqual(new Set(roots).size, ids.length)
  })
)

it.scopedLive("listing a large index keeps nothing but the submodules", () =>
  Effect.gen(function* () {
    const folder = yield* Repos.init
    const run = Git.make(LocalProcesses.service).at({ GIT_DIR: join(folder, ".git") })
    // Entries without files: 100,000 names of 200 characters, and one submodule.
    const hash = git(folder, "hash-object", "-w", "--stdin")
    const entries = Array.from({ length: 100_000 }, (_, at) => `100644 ${hash}\t${"d".repeat(190)}/${at}`)
    const list = join(yield* tempFolder, "list")
    writeFileSync(list, [...entries, `160000 ${hash}\tsub\n`].join("\n"))
    yield* Effect.promise(async () => {
      const child = Bun.spawn(["git", "update-index", "--index-info"], { cwd: folder, stdin: Bun.file(list) })
      assert.strictEqual(await child.exited, 0)
    })
    assert.deepStrictEqual(yield* Snapshot.submodules(run, { cwd: folder }), ["sub"])
  })
)
