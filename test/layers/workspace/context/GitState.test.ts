import { spawnSync } from "node:child_process"
import { rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import * as LocalProcesses from "../../../../src/layers/machine/processes/LocalProcesses.ts"
import { local } from "../../../../src/layers/machine/files/own/OwnFiles.ts"
import * as GitState from "../../../../src/layers/workspace/context/GitState.ts"
import { type Program, Processes, SpawnFailed } from "../../../../src/services/machine/Processes.ts"
import * as Trust from "../../../../src/services/Trust.ts"
import { withFiles } from "../../tools/TempFolder.ts"

const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" }
const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  spawnSync("git", ["-c", "user.name=n", "-c", "user.email=e", ...args], { cwd, env, encoding: "utf8" }).stdout

const repository = (files: Readonly<Record<string, string>> = { "a.txt": "a", "b.txt": "b" }) =>
  Effect.tap(withFiles(files), (folder) => {
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
  })

/** What a project that the user trusts gets. */
const describeWith = (folder: string, processes: Layer.Layer<Processes>) =>
  GitState.describe(local, folder).pipe(
    Effect.provide(processes),
    Effect.provideService(Trust.Trust, Trust.fixed("trusted"))
  )
const describeIn = (folder: string) => describeWith(folder, LocalProcesses.layer)

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
      assert.strictEqual(yield* describeWith(folder, absent), "branch main")
    })
  )

  it.scoped("git takes too long", () =>
    Effect.gen(function* () {
      const folder = yield* repository()
      const asking = yield* Effect.fork(
        describeWith(
          folder,
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
      assert.strictEqual(yield* describeWith(folder, failing), "branch main")
      const piece = new TextEncoder().encode("? x\n".repeat(20_000))
      let pieces = 0
      const endless = fake(({ onOutput }) =>
        Effect.sync(() => {
          while (onOutput(piece)) pieces++
          return { exitCode: undefined, errors: "" }
        })
      )
      assert.strictEqual(yield* describeWith(folder, endless), "branch main")
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

describe("in a project that is not trusted", () => {
  const untrusted = (folder: string) =>
    Effect.provide(
      GitState.describe(local, folder),
      fake(({ command }) => Effect.die(`started ${command[0]}`))
    )
  const main = "ref: refs/heads/main\n"
  const heads = {
    "a name that is cut": [`ref: refs/heads/${"x".repeat(1000)}\n`, `branch ${"x".repeat(200)}`],
    "a commit": [`${"a1".repeat(20)}\n`, "no branch, at commit a1a1a1a"],
    "a commit of SHA-256": [`${"a1".repeat(32)}\n`, "no branch, at commit a1a1a1a"],
    "a text that is too long": [`ref: refs/heads/${"x".repeat(10_000)}\n`, undefined],
    "an escape sequence": ["ref: refs/heads/\u001b]0;x\u0007\n", undefined],
    "a mark that turns text around": ["ref: refs/heads/\u202ea\n", undefined],
    "refs in a table": ["ref: refs/heads/.invalid\n", undefined],
    "two lines": ["ref: refs/heads/a b\nc", undefined]
  } as const

  it.scoped.each(Object.entries(heads))("no git is started for %s", ([, [head, said]]) =>
    Effect.gen(function* () {
      const folder = yield* withFiles({ ".git/HEAD": head, ".git/objects/a": "", ".git/refs/a": "" })
      assert.strictEqual(yield* untrusted(folder), said)
    })
  )

  it.scoped("HEAD is found where `.git` leads, once, and as git reads it", () =>
    Effect.gen(function* () {
      const real = { "real/HEAD": main, "real/objects/a": "", "real/refs/a": "" }
      const cases = [
        [{ ...real, ".git": "gitdir: real\n" }, "branch main"],
        [{ ...real, ".git": "gitdir: real \n" }, undefined],
        [{ ...real, ".git": "gitdir: real\nmore\n" }, undefined],
        [{ ...real, ".git": "x\ngitdir: real\n" }, undefined],
        [{ ...real, ".git": `gitdir: ${"./".repeat(5000)}real` }, undefined],
        [{ ...real, ".git": "gitdir: next", next: "gitdir: real" }, undefined],
        [{ ...real, "own/HEAD": main, "own/commondir": "../real\n", ".git": "gitdir: own" }, "branch main"],
        [{ ...real, "own/HEAD": main, "own/commondir": "../none\n", ".git": "gitdir: own" }, undefined],
        [{ ...real, ".git/config": "" }, undefined]
      ] as const
      for (const [files, said] of cases) assert.strictEqual(yield* untrusted(yield* withFiles(files)), said)
    })
  )

  it.scoped("a device or a FIFO where a file is expected is not opened", () =>
    Effect.gen(function* () {
      const files = { ".git/HEAD": main, ".git/objects/a": "", ".git/refs/a": "" }
      const odd = {
        "/dev/zero": (path: string) => symlinkSync("/dev/zero", path),
        FIFO: (path: string) => spawnSync("mkfifo", [path]),
        "a link to itself": (path: string) => symlinkSync(path, path)
      }
      for (const make of Object.values(odd)) {
        const folder = yield* withFiles(files)
        make(join(folder, ".git/commondir"))
        assert.strictEqual(yield* untrusted(folder), "branch main")
        rmSync(join(folder, ".git/HEAD"))
        make(join(folder, ".git/HEAD"))
        assert.strictEqual(yield* untrusted(folder), undefined)
        rmSync(join(folder, ".git"), { recursive: true })
        make(join(folder, ".git"))
        assert.strictEqual(yield* untrusted(folder), undefined)
      }
    })
  )
})
