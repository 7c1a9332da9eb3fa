/** Isolated tasks of the real command: how their changes reach the user, and that no kill and no abort loses any work. */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { tempFolder } from "../layers/tools/TempFolder.ts"
import * as Repos from "../support/git/Repos.ts"
import * as HostProcess from "../support/host/HostProcess.ts"
import * as Processes from "../support/host/Processes.ts"

const { git, put } = Repos
const { type } = HostProcess

const call = (name: string, args: object) => ({ toolCall: { name, arguments: args } })
const say = (text: string) => ({ steps: [{ text }] })
const submits = { steps: [call("submit_result", { result: "done" })] }
const writes = (path: string, content: string) => ({ steps: [call("write", { path, content })] })
const delegates = (ids: ReadonlyArray<string>, more: object = {}) => ({
  steps: [
    call("task", {
      agent: "task",
      isolated: true,
      tasks: ids.map((id) => ({ id, description: `Do ${id}`, assignment: "Do it" })),
      ...more
    })
  ]
})

interface Started {
  readonly repo: string
  readonly home: string
  readonly wt: string
}

const first = { "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" }

const place = Effect.gen(function* () {
  const repo = yield* Repos.withCommit(first)
  const home = yield* tempFolder
  const started: Started = { repo, home, wt: join(home, "agent/wt") }
  return started
})

interface Options {
  readonly turns: ReadonlyArray<object>
  readonly args?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** What makes heddle offer isolated tasks. */
  readonly isolating?: ReadonlyArray<string>
}

const byMode = ["--set", "task.isolation.mode=worktree"]

const launch = ({ home, repo }: Started, { args = [], env = {}, isolating = byMode, turns }: Options) => {
  const file = join(home, `scenario-${crypto.randomUUID()}.json`)
  writeFileSync(file, JSON.stringify({ turns }))
  return HostProcess.open({
    cwd: repo,
    env: { HOME: home, HEDDLE_AGENT_DIR: join(home, "agent"), ...env },
    args: [
      "--model",
      "offline/script",
      "--set",
      `offline.scenario=${file}`,
      "--set",
      "task.maxConcurrency=1",
      ...isolating,
      ...args
    ]
  })
}

const prompt = async (host: HostProcess.HostProcess) => {
  host.send({ id: "p", type: "prompt", message: "go" })
  await host.until(type("prompt_result"))
  const { isError, result } = await host.until(type("tool_execution_end"))
  const { content, details } = JSON.parse(JSON.stringify(result))
  return { isError, text: String(content[0].text), results: details.results }
}

const contents = (folder: string, ...names: ReadonlyArray<string>) =>
  names.map((name) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : null))

describe("patches", () => {
  it.scopedLive("are applied in the order of the tasks; one that conflicts is kept and stops no other", () =>
    Effect.gen(function* () {
      const at = yield* place
      const host = yield* launch(at, {
        turns: [
          delegates(["One", "Two", "Three"]),
          writes("a.txt", "one\n"),
          submits,
          writes("a.txt", "two\n"),
          submits,
          writes("new.txt", "three\n"),
          submits,
          say("ok")
        ]
      })
      put(at.repo, { "b.txt": "dirty\n", "mine.txt": "mine\n" })
      const { results, text } = yield* Effect.promise(() => prompt(host))
      assert.deepStrictEqual(contents(at.repo, "a.txt", "b.txt", "new.txt", "mine.txt"), [
        "one\n",
        "dirty\n",
        "three\n",
        "mine\n"
      ])
      assert.include(text, "0-One: changes to 1 file were applied.")
      assert.include(
        text,
        `1-Two: the changes do not apply and were left out; the patch is kept at ${results[1].patchPath}`
      )
      assert.include(text, "2-Three: changes to 1 file were applied.")
      assert.include(readFileSync(results[1].patchPath, "utf8"), "+two")
      git(at.repo, "checkout", "a.txt")
      git(at.repo, "apply", results[1].patchPath)
      assert.isFalse(existsSync(at.wt))
    })
  )

  it.scopedLive("are those of dialect pisces without a setting; a verify without a profile stands alone", () =>
    Effect.gen(function* () {
      const at = yield* place
      // The default profile discards patches, and does not exist in the second process.
      const profile = '{"verification":{"defaultProfile":"ci","profiles":{"ci":{"onFailure":"discard_patch"}}}}'
      put(at.home, { "agent/omp.jsonc": `{ "task": ${profile}, /* of omp */ "theme": "dark" }` })
      const verify = { commands: [{ name: "fails", command: "exit 1" }] }
      for (const args of [[], ["--set", "task.verification.defaultProfile=gone"]]) {
        const host = yield* launch(at, {
          isolating: ["--dialect", "pisces", ...args],
          turns: [delegates(["One"], { verify }), writes("a.txt", "one\n"), submits, say("ok")]
        })
        const { results } = yield* Effect.promise(() => prompt(host))
        const { onFailure, profile: used, status } = results[0].verification
        assert.deepStrictEqual([status, onFailure, used], ["failed", "return_failure", undefined])
        assert.include(readFileSync(results[0].patchPath, "utf8"), "+one")
        assert.deepStrictEqual(contents(at.repo, "a.txt"), ["a\n"])
      }
    })
  )

  it.scopedLive("leave out what would undo uncommitted work, and name it", () =>
    Effect.gen(function* () {
      const at = yield* place
      put(at.repo, { "a.txt": "a\nmine\n", "b.txt": "staged\n" })
      git(at.repo, "add", "b.txt")
      put(at.repo, { "b.txt": "mine\n", "mine.txt": "mine\n" })
      const command = "git reset --hard; git clean -fd; echo by the task > c.txt; sed -i 1i0 a.txt"
      const host = yield* launch(at, {
        turns: [delegates(["One"]), { steps: [call("bash", { command })] }, submits, say("ok")]
      })
      const { text } = yield* Effect.promise(() => prompt(host))
      assert.deepStrictEqual(contents(at.repo, "a.txt", "b.txt", "c.txt", "mine.txt"), [
        "0\na\nmine\n",
        "mine\n",
        "by the task\n",
        "mine\n"
      ])
      assert.strictEqual(git(at.repo, "status", "--porcelain"), " M a.txt\nMM b.txt\n M c.txt\n?? mine.txt")
      assert.include(text, "0-One: changes to 2 files were applied.")
      const [, named, kept = ""] = /when the task began were left out: (.*)\. Files .* are in (.*)\.\n/.exec(text) ?? []
      assert.strictEqual(named, "a.txt:2, b.txt, mine.txt")
      assert.deepStrictEqual(contents(kept, "a.txt", "b.txt", "mine.txt"), ["0\na\n", "b\n", null])
    })
  )

  it.scopedLive("leave out what is too large or no file, and name it", () =>
    Effect.gen(function* () {
      const at = yield* place
      const command = "truncate -s 8G core; mkfifo .gitattributes; echo by the task > c.txt"
      const host = yield* launch(at, {
        turns: [delegates(["One"]), { steps: [call("bash", { command })] }, submits, say("ok")]
      })
      const { isError, results, text } = yield* Effect.promise(() => prompt(host))
      const kept = results[0].patchPath.replace(/\.patch$/, ".kept/task")
      const most = "at most 20000 files of at most 32 MiB each and 64 MiB together"
      assert.include(
        text,
        [
          "0-One: changes to 1 file were applied.",
          `0-One: left out, because heddle takes over ${most}: core (8 GiB). Files are kept in ${kept}.`,
          "0-One: some changes are in no patch, and were not taken over: .gitattributes is no regular file."
        ].join("\n")
      )
      assert.deepStrictEqual([isError, statSync(join(kept, "core")).size], [false, 8 * 2 ** 30])
      assert.strictEqual(git(at.repo, "status", "--porcelain"), " M c.txt")
    })
  )

  it.scopedLive("of a worktree that cannot be made: the task starts and ends", () =>
    Effect.gen(function* () {
      const at = yield* place
      put(at.home, { "agent/wt": "a file in the way" })
      const host = yield* launch(at, { turns: [delegates(["One"]), say("ok")] })
      const { isError, text } = yield* Effect.promise(() => prompt(host))
      assert.strictEqual(isError, true)
      assert.include(text, "agent/wt")
      const shown = host.frames().filter((frame) => String(frame["type"]).startsWith("subagent_"))
      assert.deepStrictEqual(
        shown.map(({ exitCode, id, isolated, type: name }) => [name, id, isolated ?? exitCode]),
        [
          ["subagent_start", "0-One", true],
          ["subagent_end", "0-One", 1]
        ]
      )
    })
  )
})

describe("branches", () => {
  it.scopedLive(
    "are merged in order beside uncommitted work, with messages of the model; the first conflict stops",
    () =>
      Effect.gen(function* () {
        const at = yield* place
        const said = { steps: [{ text: "Write one\n\nBecause." }] }
        const host = yield* launch(at, {
          args: ["--set", "task.isolation.merge=branch", "--set", "task.isolation.commits=ai"],
          turns: [
            delegates(["One", "Two", "Three"]),
            writes("a.txt", "one\n"),
            submits,
            said,
            writes("a.txt", "two\n"),
            submits,
            say("Write two"),
            writes("new.txt", "three\n"),
            submits,
            say("Write three"),
            say("ok")
          ]
        })
        put(at.repo, { "b.txt": "staged\n" })
        git(at.repo, "add", "b.txt")
        put(at.repo, { "b.txt": "dirty\n", "mine.txt": "mine\n" })
        const { results, text } = yield* Effect.promise(() => prompt(host))
        assert.strictEqual(git(at.repo, "log", "--format=%B"), "Write one\n\nBecause.\n\nfirst")
        assert.strictEqual(git(at.repo, "status", "--porcelain"), "MM b.txt\n?? mine.txt")
        assert.deepStrictEqual(contents(at.repo, "a.txt", "b.txt", "new.txt"), ["one\n", "dirty\n", null])
        assert.include(text, "heddle/task/0-One was merged.")
        assert.include(text, "heddle/task/1-Two was not merged: ")
        assert.include(text, "These branches are left: heddle/task/1-Two, heddle/task/2-Three.")
        assert.strictEqual(results[2].branchName, "heddle/task/2-Three")
        assert.strictEqual(git(at.repo, "stash", "list"), "")
      })
  )

  it.scopedLive("have a plain message otherwise, and changes on top of uncommitted ones are kept as a patch", () =>
    Effect.gen(function* () {
      const at = yield* place
      put(at.repo, { "a.txt": "not committed\n" })
      const host = yield* launch(at, {
        args: ["--set", "task.isolation.merge=branch", "--set", "task.isolation.mode=fuse-overlay"],
        turns: [
          delegates(["One", "Two..lock"]),
          writes("a.txt", "not committed, and more\n"),
          submits,
          writes("b.txt", "two\n"),
          submits,
          say("ok")
        ]
      })
      const { results, text } = yield* Effect.promise(() => prompt(host))
      assert.strictEqual(git(at.repo, "log", "--format=%s"), "Do Two..lock\nfirst")
      assert.strictEqual(git(at.repo, "status", "--porcelain"), " M a.txt")
      assert.include(text, "0-One: The changes cannot be put on a branch of their own")
      assert.include(text, `They are kept at ${results[0].patchPath}`)
      git(at.repo, "apply", results[0].patchPath)
      assert.include(host.stderr(), "task.isolation.mode fuse-overlay is not available: tasks get worktrees")
    })
  )
})

/** A `git` in front of the real one, which stops for ever at the calls that fit, after a command of the test. */
const makeTrap = (at: Started, pattern: string, first: string) => {
  const bin = join(at.home, "bin")
  const reached = join(at.home, "reached")
  mkdirSync(bin)
  const real = Bun.which("git") ?? "git"
  const script = `#!/bin/bash\ncase "$*" in\n${pattern})\n  ${first}\n  touch ${reached}\n  exec sleep 300 ;;\nesac\nexec ${real} "$@"\n`
  writeFileSync(join(bin, "git"), script)
  chmodSync(join(bin, "git"), 0o755)
  return { reached, env: { PATH: `${bin}:${process.env["PATH"]}` } }
}

interface Phase {
  readonly name: string
  /** At which git call the process is killed; without one, the agent or the check stops by itself. */
  readonly trap?: { readonly pattern: string; readonly first?: string }
  readonly merge?: "branch"
  /** What the next start tells the user. */
  readonly says?: RegExp
}

const applying = "'apply --binary --whitespace=nowarn '*changes.patch"

const phases: ReadonlyArray<Phase> = [
  { name: "the copy", trap: { pattern: "'read-tree --reset '*" } },
  { name: "the work of the agent" },
  { name: "the verification" },
  { name: "the capture", trap: { pattern: "*'capture.patch'*" } },
  { name: "the apply, before a file was changed", trap: { pattern: applying } },
  { name: "the merge, before a file was changed", merge: "branch", trap: { pattern: applying } },
  {
    name: "the merge, before the index",
    merge: "branch",
    trap: { pattern: "*'--cached '*'/index.patch'" },
    says: /The merge was undone/
  },
  {
    name: "the merge, before HEAD",
    merge: "branch",
    trap: { pattern: "'update-ref -m '*' HEAD '*" },
    says: /The merge was undone/
  }
]

describe.skipIf(process.platform !== "linux")("after kill -9 during", () => {
  it.scopedLive.each(phases)("$name, the next start finds everything", ({ merge, name, says, trap }) =>
    Effect.gen(function* () {
      const at = yield* place
      const tag = `heddle-e2e-${crypto.randomUUID()}`
      put(at.repo, { "b.txt": "not committed\n" })
      git(at.repo, "add", "b.txt")
      put(at.repo, { "b.txt": "not committed\nand not staged\n", "mine.txt": "mine\n" })
      const before = Repos.files(at.repo)
      const status = git(at.repo, "status", "--porcelain")
      const { env, reached } = makeTrap(at, trap?.pattern ?? "'no such call'", trap?.first ?? ":")
      const waits = `touch ${reached}; sleep 300`
      const check = { name: "check", command: name === "the verification" ? waits : "true" }
      const work = name === "the work of the agent" ? { steps: [call("bash", { command: waits })] } : submits
      // On a branch the change must not need what is not committed.
      const changes =
        merge === "branch" ? writes("c.txt", "by the agent\n") : writes("b.txt", "not committed\nby the agent\n")
      const host = yield* launch(at, {
        env: { ...env, HEDDLE_TEST: tag },
        args: merge === "branch" ? ["--set", "task.isolation.merge=branch"] : [],
        turns: [delegates(["One"], { verify: { commands: [check] } }), changes, work, say("ok")]
      })
      host.send({ id: "p", type: "prompt", message: "go" })
      yield* Processes.until(() => existsSync(reached), Boolean)
      assert.isTrue(existsSync(at.wt))
      host.child.kill("SIGKILL")
      yield* Effect.promise(() => host.exited)
      for (const pid of Processes.holding(tag)) process.kill(pid, "SIGKILL")
      yield* Processes.count(tag, 0)

      const again = yield* launch(at, { turns: [say("hello")] })
      yield* Processes.until(
        () => existsSync(at.wt),
        (isThere) => !isThere
      )
      if (says !== undefined) yield* Effect.promise(() => again.untilStderr(says))
      assert.deepStrictEqual(Repos.files(at.repo), before)
      assert.strictEqual(git(at.repo, "status", "--porcelain"), status)
      assert.strictEqual(git(at.repo, "log", "--format=%s"), "first")
      assert.isFalse(existsSync(join(at.repo, ".git/worktrees")))
      if (merge === "branch") {
        assert.include(git(at.repo, "branch"), "heddle/task/0-One")
        assert.strictEqual(git(at.repo, "show", "heddle/task/0-One:c.txt"), "by the agent")
      }
    })
  )

  it.scopedLive(
    "the apply, when some of many files are written, the next start puts them back",
    () =>
      Effect.gen(function* () {
        const at = yield* place
        const names = Array.from({ length: 800 }, (_, n) => `f${n + 1000}`)
        put(at.repo, Object.fromEntries(names.map((name) => [name, "one\n"])))
        const rewrites = { steps: [call("bash", { command: "for f in f1* f2*; do echo two > $f; done" })] }
        const host = yield* launch(at, { turns: [delegates(["One"]), rewrites, submits, say("ok")] })
        host.send({ id: "p", type: "prompt", message: "go" })
        yield* Processes.until(
          () => contents(at.repo, "f1000")[0],
          (text) => text === "two\n"
        )
        host.child.kill("SIGKILL")
        yield* Effect.promise(() => host.exited)
        const written = contents(at.repo, ...names).filter((text) => text === "two\n").length
        const again = yield* launch(at, { turns: [say("hello")] })
        yield* Processes.until(
          () => existsSync(at.wt),
          (isThere) => !isThere
        )
        if (written < names.length) yield* Effect.promise(() => again.untilStderr(/These files are as they were/))
        assert.deepStrictEqual([...new Set(contents(at.repo, ...names))], [written < names.length ? "one\n" : "two\n"])
        assert.deepStrictEqual(Object.keys(Repos.files(at.repo)), ["a.txt", "b.txt", "c.txt", ...names])
      }),
    60_000
  )

  it.scopedLive("the work of one process, another one starts and leaves it alone", () =>
    Effect.gen(function* () {
      const at = yield* place
      const [ready, go] = [join(at.home, "ready"), join(at.home, "go")]
      const waits = { steps: [call("bash", { command: `touch ${ready}; until [ -e ${go} ]; do sleep 0.02; done` })] }
      const host = yield* launch(at, {
        turns: [delegates(["One"]), writes("a.txt", "one\n"), waits, submits, say("ok")]
      })
      const answer = prompt(host)
      yield* Processes.until(() => existsSync(ready), Boolean)
      const other = yield* launch(at, { turns: [delegates(["One"]), writes("c.txt", "two\n"), submits, say("ok")] })
      const { text } = yield* Effect.promise(() => prompt(other))
      assert.include(text, "changes to 1 file were applied")
      writeFileSync(go, "")
      assert.include((yield* Effect.promise(() => answer)).text, "changes to 1 file were applied")
      assert.deepStrictEqual(contents(at.repo, "a.txt", "c.txt"), ["one\n", "two\n"])
      assert.isFalse(existsSync(at.wt))
    })
  )
})

/** The first frame that does not belong where it is, or an end that is missing. */
const unbalanced = (frames: ReadonlyArray<HostProcess.Frame>): string | undefined => {
  const ends: Readonly<Record<string, string>> = {
    tool_execution_start: "tool_execution_end",
    subagent_start: "subagent_end",
    subagent_verification_start: "subagent_verification_end",
    subagent_verification_command_start: "subagent_verification_command_end"
  }
  const order = Object.keys(ends)
  const open: Array<string> = []
  for (const { type: name } of frames) {
    const kind = String(name)
    if (ends[kind] !== undefined) {
      if (order.indexOf(kind) !== open.length) return `${kind} in ${open.join()}`
      open.push(kind)
    } else if (Object.values(ends).includes(kind) && ends[open.pop() ?? ""] !== kind) return kind
  }
  return open.length === 0 ? undefined : `without an end: ${open.join()}`
}

describe("an abort at any time", () => {
  const run = Effect.fnUntraced(function* (abortAt: number) {
    const at = yield* place
    const before = Repos.files(at.repo)
    const commands = [
      { name: "one", command: "true" },
      { name: "two", command: "exit 1" }
    ]
    const host = yield* launch(at, {
      args: ["--rpc-updates", "delta"],
      turns: [
        delegates(["One"], { verify: { commands, onFailure: "retry_once" } }),
        writes("a.txt", "one\n"),
        submits,
        writes("a.txt", "again\n"),
        say("repaired"),
        say("ok")
      ]
    })
    let isSent = false
    host.child.stdout?.on("data", () => {
      if (isSent || host.lines.length < abortAt) return
      isSent = true
      host.send({ id: "a", type: "abort" })
    })
    host.send({ id: "p", type: "prompt", message: "go" })
    yield* Effect.promise(() => host.until(type("prompt_result")))
    yield* Processes.until(
      () => existsSync(at.wt),
      (isThere) => !isThere
    )
    assert.deepStrictEqual(Repos.files(at.repo), before)
    const about = host.frames().filter((frame) => /^(subagent_|tool_execution_(start|end))/.test(String(frame["type"])))
    const ofParent = about.filter(({ toolName }) => toolName === undefined || toolName === "task")
    assert.isUndefined(unbalanced(ofParent))
    return host.lines.length
  }, Effect.scoped)

  it.scopedLive(
    "leaves no start without its end, and no worktree",
    () =>
      Effect.gen(function* () {
        const lines = yield* run(Number.POSITIVE_INFINITY)
        const points = Array.from({ length: 9 }, (_, n) => Math.round(((n + 1) * lines) / 10))
        yield* Effect.forEach(points, run, { concurrency: 2 })
      }),
    30_000
  )
})
