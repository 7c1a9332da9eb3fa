import { spawnSync } from "node:child_process"
import { existsSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import * as LocalProcesses from "../../../src/layers/platform/processes/LocalProcesses.ts"
import { local } from "../../../src/layers/platform/files/OwnFiles.ts"
import * as GitState from "../../../src/layers/workspace/GitState.ts"
import { type Program, Processes, SpawnFailed } from "../../../src/services/machine/Processes.ts"
import { withFiles } from "../tools/TempFolder.ts"

const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" }
const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  spawnSync("git", ["-c", "user.name=n", "-c", "user.email=e", ...args], { cwd, env, encoding: "utf8" }).stdout

const repository = (files: Readonly<Record<string, string>> = { "a.txt": "a", "b.txt": "b" }) =>
  Effect.tap(withFiles(files), (folder) => {
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
  })

const describeIn = (folder: string) => Effect.provide(GitState.describe(local, folder), LocalProcesses.layer)

/** Programs that never run. */
const fake = (run: (program: Program) => ReturnType<(typeof Processes.Service)["run"]>) =>
  Layer.mock(Processes, { run })

describe("what the prompt says", () => {
  it.scoped("the branch, and how many files differ", () =>
    Effect.gen(function* () {
      const folder = yield* repository()
      assert.strictEqual(yield* describeIn(folder), "branch main, no changes")
      writeFileSync(join(folder, "a.txt"), "changed")
      assert.strictEqual(yield* describeIn(folder), "branch main, 1 changed file")
      rmSync(join(folder, "b.txt"))
      writeFileSync(join(folder, "new.txt"), "")
      assert.strictEqual(yield* describeIn(folder), "branch main, 2 changed files, 1 untracked entry")
    })
  )

  it.scoped("a commit without a branch, a repository without commits, a worktree", () =>
    Effect.gen(function* () {
      const folder = yield* repository()
      const commit = git(folder, "rev-parse", "HEAD").slice(0, 7)
      git(folder, "worktree", "add", "-q", "-b", "side", join(folder, "../side"))
      const side = join(folder, "../side")
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(side, { recursive: true })))
      assert.strictEqual(yield* describeIn(side), "branch side, no changes")
      git(folder, "checkout", "-q", "--detach")
      assert.strictEqual(yield* describeIn(folder), `no branch, at commit ${commit}, no changes`)
      const empty = yield* withFiles({})
      git(empty, "init", "-q", "-b", "trunk")
      assert.strictEqual(yield* describeIn(empty), "branch trunk, no changes")
    })
  )

  it("from the words of git", () => {
    const head = "# branch.oid 1\n# branch.head main\n# branch.upstream origin/main\n"
    assert.strictEqual(
      GitState.stateIn(`${head}# branch.ab +2 -1\n1 .M a\n2 R. b\nu UU c\n? d\n? e\n`),
      "2 changed files, 1 file in conflict, 2 untracked entries, 2 commits ahead of its upstream, 1 commit behind it"
    )
    assert.strictEqual(GitState.stateIn(`${head}# branch.ab +0 -0\n`), "no changes")
  })
})

describe("nothing is lost where git cannot be asked", () => {
  it.scoped("no git on this machine", () =>
    Effect.gen(function* () {
      const folder = yield* repository()
      const absent = fake(() => new SpawnFailed({ message: "no such program: git" }))
      assert.strictEqual(yield* Effect.provide(GitState.describe(local, folder), absent), "branch main")
    })
  )

  it.scoped("git takes too long", () =>
    Effect.gen(function* () {
      const folder = yield* repository()
      const asking = yield* Effect.fork(
        Effect.provide(
          GitState.describe(local, folder),
          fake(() => Effect.never)
        )
      )
      yield* TestClock.adjust("499 millis")
      assert.isNull(asking.unsafePoll())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* asking, "branch main")
    })
  )

  it.scoped("git fails, or lists more than anybody reads", () =>
    Effect.gen(function* () {
      const folder = yield* repository()
      const failing = fake(() => Effect.succeed({ exitCode: 128, errors: "" }))
      assert.strictEqual(yield* Effect.provide(GitState.describe(local, folder), failing), "branch main")
      const piece = new TextEncoder().encode("? x\n".repeat(20_000))
      let pieces = 0
      const endless = fake(({ onOutput }) =>
        Effect.sync(() => {
          while (onOutput(piece)) pieces++
          return { exitCode: undefined, errors: "" }
        })
      )
      assert.strictEqual(yield* Effect.provide(GitState.describe(local, folder), endless), "branch main")
      assert.isBelow(pieces, 5)
    })
  )

  it.scoped("no HEAD, or one that says something else", () =>
    Effect.gen(function* () {
      const odd = yield* withFiles({ ".git/HEAD": "ref: refs/heads/a b\nc" })
      assert.strictEqual(yield* describeIn(odd), undefined)
      assert.strictEqual(yield* describeIn(yield* withFiles({ ".git": "gitdir: /nonexistent" })), undefined)
      assert.strictEqual(yield* describeIn(yield* withFiles({})), undefined)
    })
  )
})

describe("a repository cannot make heddle run its programs", () => {
  const programs = {
    filter: '[filter "x"]\n\tclean = touch RAN\n',
    fsmonitor: "[core]\n\tfsmonitor = touch RAN\n",
    included: "[include]\n\tpath = ../evil\n",
    "a section with the key behind it": '[core] fsmonitor = "touch RAN"\n',
    "a line that goes on": "[core]\n\tbare = \\\n false\n",
    worktree: "[extensions]\n\tworktreeConfig = true\n",
    promisor: '[remote "origin"]\n\tpromisor = true\n\tuploadpack = touch RAN\n'
  }

  it.scoped.each(Object.entries(programs))("%s", ([, config]) =>
    Effect.gen(function* () {
      const folder = yield* repository({ "a.txt": "a", ".gitattributes": "* filter=x" })
      const plain = `[core]\n\trepositoryformatversion = 0\n\tbare = false\n${config.replaceAll("RAN", join(folder, "RAN"))}`
      writeFileSync(join(folder, ".git/config"), plain)
      writeFileSync(join(folder, "a.txt"), "b")
      assert.strictEqual(yield* describeIn(folder), "branch main")
      assert.isFalse(existsSync(join(folder, "RAN")))
      assert.isFalse(GitState.isPlain(plain))
    })
  )

  it("what git itself writes is plain", () => {
    assert.isTrue(
      GitState.isPlain(
        [
          "# comment",
          "[core]",
          "\trepositoryformatversion = 0",
          "\tfilemode = true",
          '[remote "origin"]',
          "\turl = https://example.com/a.git",
          "\tfetch = +refs/heads/*:refs/remotes/origin/*",
          '[branch "main"]',
          "\tremote = origin",
          "\tmerge = refs/heads/main",
          "; the end",
          ""
        ].join("\n")
      )
    )
    assert.isFalse(GitState.isPlain("fsmonitor = x"))
  })

  it.scoped("a configuration behind a link or a FIFO is read as little as a device", () =>
    Effect.gen(function* () {
      const folder = yield* repository()
      rmSync(join(folder, ".git/config"))
      symlinkSync("/dev/zero", join(folder, ".git/config"))
      assert.strictEqual(yield* describeIn(folder), "branch main")
    })
  )
})
