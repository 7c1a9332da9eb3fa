/** A real sandbox over real files and processes: what commands and file tools may, and what is left behind. */
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync
} from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { decided, inWorkspace } from "../../../../src/services/machine/Sandbox.ts"
import type { FileError } from "../../../../src/services/machine/Files.ts"
import { canHold, ground, bunIn, make } from "../../../support/sandbox/Confined.ts"

const git = (cwd: string, ...args: ReadonlyArray<string>) => void Bun.spawnSync(["git", ...args], { cwd })

/** Empty for a process that has ended. */
const commandOf = (pid: string) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return ""
  }
}

/** The sentence of a refusal; fails where there was none. */
const refusal = <A, R>(effect: Effect.Effect<A, FileError, R>) =>
  Effect.map(Effect.either(effect), (result) =>
    Either.isLeft(result) ? `${result.left.reason}: ${result.left.description}` : assert.fail("it was not refused")
  )

describe.skipIf(!canHold)("commands in a sandbox", () => {
  it.scopedLive("write the working folder and a private /tmp, and nothing else", () =>
    Effect.gen(function* () {
      const { agentDir, outside, work } = yield* ground
      const { bash } = yield* make(work, agentDir)
      const { code, output } = yield* bash(`touch a /tmp/b && ls /tmp; touch ${outside}/c 2>&1; echo $?`)
      assert.strictEqual(code, 0)
      assert.match(output, /^b\ntouch: cannot touch '.*\/outside\/c': Read-only file system\n1\n$/)
      assert.isTrue(existsSync(join(work, "a")))
      assert.isFalse(existsSync("/tmp/b"))
      assert.strictEqual((yield* bash("ls /tmp")).output, "")
    })
  )

  it.scopedLive("change nothing in the mode read-only, where settings need no folders to be mounted on", () =>
    Effect.gen(function* () {
      const { agentDir, work } = yield* ground
      const { bash } = yield* make(work, agentDir, { mode: "read-only" })
      const { output } = yield* bash("touch a 2>&1; touch /tmp/b && echo made; ls -A")
      assert.match(output, /Read-only file system\nmade\n$/)
    })
  )

  it.scopedLive("leave no folders that heddle has mounted on, and none of the user's is touched", () =>
    Effect.gen(function* () {
      const { agentDir, work } = yield* ground
      mkdirSync(join(work, ".pi"))
      const { bash } = yield* make(work, agentDir)
      const { output } = yield* bash("ls -A; touch .heddle/x .pi/x 2>&1 | grep -c Read-only")
      assert.strictEqual(output, ".heddle\n.pi\n2\n")
      assert.deepStrictEqual(readdirSync(work), [".pi"])
    })
  )

  it.scopedLive("that run at once keep what one of them is mounted on", () =>
    Effect.gen(function* () {
      const { agentDir, work } = yield* ground
      const { bash } = yield* make(work, agentDir)
      const long = bash("until [ -e go ]; do sleep 0.05; done; mkdir .heddle/x 2>&1 | grep -c Read-only")
      const short = Effect.zipRight(bash("true"), Effect.zipRight(bash("true"), bash("touch go")))
      const [{ output }] = yield* Effect.all([long, short], { concurrency: 2 })
      assert.strictEqual(output, "1\n")
      assert.isFalse(existsSync(join(work, ".heddle")))
    })
  )

  it.scopedLive("that leave a repository make a notice, and the next one cannot change it", () =>
    Effect.gen(function* () {
      const { agentDir, work } = yield* ground
      const { bash, sandbox } = yield* make(work, agentDir)
      const heard: Array<string> = []
      yield* sandbox.listen((message) => void heard.push(message))
      yield* bash("git init -q sub")
      const { output } = yield* bash("echo x > sub/.git/hooks/pre-commit; git -C sub status --short; echo $?")
      assert.match(output, /Read-only file system\n0\n$/)
      assert.strictEqual(heard.length, 1)
      assert.include(heard[0] ?? "", join(work, "sub"))
    })
  )

  it.scopedLive("get a long command line as a file, its variables without secrets, and no descriptor of ours", () =>
    Effect.gen(function* () {
      const { agentDir, work } = yield* ground
      const { bash } = yield* make(work, agentDir, { env: ["LET_TOKEN"] })
      const long = yield* bash(`: ${"x".repeat(200_000)}\necho long`)
      assert.strictEqual(long.output, "long\n")
      const { output } = yield* bash(
        "echo $A_KEY $LET_TOKEN; for n in $(seq 3 64); do [ -e /proc/self/fd/$n ] && echo $n; done",
        {
          A_KEY: "secret",
          LET_TOKEN: "let"
        }
      )
      assert.strictEqual(output, "let\n")
    })
  )

  it.scopedLive("cannot reach the program that holds them with variables that the loader obeys", () =>
    Effect.gen(function* () {
      const { agentDir, outside, work } = yield* ground
      const { bash, processes } = yield* make(work, agentDir)
      const trace = join(outside, "trace")
      const env = { LD_DEBUG: "libs", LD_DEBUG_OUTPUT: trace }
      // Without the sandbox, the loader writes such a file for each program.
      yield* decided("without")(bash("true", env))
      assert.isAbove(readdirSync(outside).length, 0)
      for (const name of readdirSync(outside)) unlinkSync(join(outside, name))
      assert.include((yield* bash("echo $LD_DEBUG_OUTPUT", env)).output, `${trace}\n`)
      yield* processes.run({ command: ["true"], cwd: work, env, onOutput: () => true })
      assert.deepStrictEqual(readdirSync(outside), [])
    })
  )

  it.scopedLive("get long variables, and any bytes of text in them", () =>
    Effect.gen(function* () {
      const { agentDir, work } = yield* ground
      const { bash } = yield* make(work, agentDir)
      const text = "a b\nc\"'$x\u00fc"
      const { output } = yield* bash('printf %s "$TEXT"; echo ${#LONG}', { TEXT: text, LONG: "x".repeat(120_000) })
      assert.strictEqual(output, `${text}120000\n`)
    })
  )

  it.scopedLive("change nothing in an agent folder that is in the working folder", () =>
    Effect.gen(function* () {
      const { work } = yield* ground
      const agentDir = join(work, "mine")
      mkdirSync(agentDir)
      const { bash, files } = yield* make(work, agentDir)
      assert.match((yield* bash("touch mine/settings.json 2>&1")).output, /Read-only/)
      assert.match(yield* refusal(files.resolve(join(agentDir, "extensions/x.ts"))), /is read-only/)
    })
  )

  it.scopedLive("end with what they have started", () =>
    Effect.gen(function* () {
      const { agentDir, work } = yield* ground
      const { bash } = yield* make(work, agentDir)
      const mark = `heddle-test-${crypto.randomUUID()}`
      yield* bash(`( setsid bash -c 'exec -a ${mark} sleep 60' & ) ; true`)
      const left = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && commandOf(pid).startsWith(mark))
      assert.deepStrictEqual(left, [])
    })
  )

  it.scopedLive("run without it only where exactly this call was approved", () =>
    Effect.gen(function* () {
      const { agentDir, outside, work } = yield* ground
      const { bash } = yield* make(work, agentDir)
      yield* decided("without")(bash(`touch ${outside}/approved`))
      yield* decided("inside")(bash(`touch ${outside}/inside`))
      yield* bash(`touch ${outside}/next`)
      assert.deepStrictEqual(readdirSync(outside), ["approved"])
    })
  )

  it.scopedLive("of an isolated agent write its worktree in place of the folder of the user", () =>
    Effect.gen(function* () {
      const { agentDir, outside, work } = yield* ground
      const { bash, files } = yield* make(work, agentDir)
      yield* inWorkspace(outside)(bash(`touch ${outside}/mine ${work}/not-mine`))
      assert.deepStrictEqual([readdirSync(outside), readdirSync(work)], [["mine"], []])
      const asked = inWorkspace(outside)(refusal(files.resolve(join(work, "a"))))
      assert.match(yield* asked, /is read-only: only .*outside can be written/)
    })
  )

  it.scopedLive("do not start in a folder that they cannot see", () =>
    Effect.gen(function* () {
      const { agentDir, work } = yield* ground
      const { processes } = yield* make(work, agentDir)
      const started = processes.run({ command: ["true"], cwd: "/tmp", onOutput: () => true })
      const { message } = yield* Effect.flip(started)
      assert.strictEqual(message, "Sandbox (workspace-write): the folder /tmp cannot be seen in the sandbox")
    })
  )
})

describe.skipIf(!canHold)("a start with a sandbox is refused", () => {
  it.scopedLive("where commands could write the home folder, a temporary folder, or nothing that is there", () =>
    Effect.gen(function* () {
      const { agentDir, work } = yield* ground
      const why = (cwd: string, writable: ReadonlyArray<string>) =>
        Effect.map(Effect.flip(make(cwd, agentDir, { writable })), ({ message }) => message)
      assert.match(yield* why(realpathSync(homedir()), []), /is the home folder or contains it/)
      assert.match(yield* why(work, ["/"]), /temporary folder|home folder/)
      assert.match(yield* why("/tmp", []), /temporary folder/)
      assert.match(yield* why(work, ["missing"]), /sandbox\.writable: no such folder: missing/)
    })
  )

  it.scopedLive("where .git or settings are links, which cannot be kept from being replaced", () =>
    Effect.gen(function* () {
      const { agentDir, outside, work } = yield* ground
      for (const name of [".git", ".heddle", ".pi"]) {
        const folder = join(work, name.slice(1))
        mkdirSync(folder)
        symlinkSync(outside, join(folder, name))
        const { message } = yield* Effect.flip(make(folder, agentDir))
        assert.include(message, `${join(folder, name)} is a link`)
      }
    })
  )

  it.scopedLive("where the working folder is invisible", () =>
    Effect.gen(function* () {
      const { agentDir, root, work } = yield* ground
      const { message } = yield* Effect.flip(make(work, agentDir, { hidden: [root] }))
      assert.include(message, "which a sandbox makes invisible")
    })
  )
})

describe.skipIf(!canHold)("file tools in a sandbox", () => {
  it.scopedLive("read what they can see, by where it is and not by how it is spelt", () =>
    Effect.gen(function* () {
      const { agentDir, outside, root, work } = yield* ground
      writeFileSync(join(outside, "plain"), "plain")
      mkdirSync(join(root, "secrets"))
      writeFileSync(join(root, "secrets/key"), "secret")
      symlinkSync(join(root, "secrets"), join(work, "link"))
      const { files, sandbox } = yield* make(work, agentDir, { hidden: [join(root, "secrets")] })
      const opened = yield* files.open(join(outside, "plain"))
      assert.strictEqual(new TextDecoder().decode(yield* opened.readFirst(10)), "plain")
      assert.strictEqual(opened.path, join(outside, "plain"))
      const ways = [
        `${root}/secrets/key`,
        `${work}/link/key`,
        `${work}/../secrets/key`,
        `/proc/self/root${root}/secrets/key`
      ]
      for (const way of ways) {
        assert.match(
          yield* refusal(files.open(way)),
          /^refused: Sandbox \(workspace-write\): .*secrets\/key cannot be seen/
        )
        assert.strictEqual(yield* sandbox.place(way), "invisible")
      }
      assert.match(yield* refusal(files.entries(join(work, "link"))), /cannot be seen/)
      assert.isFalse(yield* files.isDirectory(join(work, "link")))
      assert.match(yield* refusal(files.open("/proc/self/environ")), /cannot be seen/)
      assert.match(yield* refusal(files.open("/tmp")), /cannot be seen/)
      sandbox.show(join(root, "secrets/key"))
      yield* files.open(join(root, "secrets/key"))
    })
  )

  it.scopedLive("write the working folder, with new folders, and say in the result what refused the rest", () =>
    Effect.gen(function* () {
      const { agentDir, outside, work } = yield* ground
      const { files } = yield* make(work, agentDir)
      const write = (path: string) =>
        Effect.gen(function* () {
          const real = yield* files.resolve(path)
          const target = yield* files.inspect(real)
          yield* files.makeParents(real)
          yield* files.replace(target, new TextEncoder().encode("new"), () => undefined)
        })
      yield* write(join(work, "a/b/c"))
      assert.strictEqual(readFileSync(join(work, "a/b/c"), "utf8"), "new")
      symlinkSync(outside, join(work, "out"))
      for (const path of [
        join(outside, "x"),
        join(work, "out/x"),
        join(work, "out/y/z"),
        join(work, ".git/hooks/x"),
        join(work, "sub/.git/config")
      ]) {
        const error = yield* Effect.flip(write(path))
        assert.strictEqual(error.reason, "refused")
        assert.deepStrictEqual(error.details, {
          sandbox: { mode: "workspace-write", network: "off", backend: "bubblewrap", denied: true }
        })
      }
      assert.deepStrictEqual(readdirSync(outside), [])
    })
  )

  it.scopedLive("replace a name, so another name of the same file keeps what it had", () =>
    Effect.gen(function* () {
      const { agentDir, outside, work } = yield* ground
      writeFileSync(join(outside, "file"), "old")
      linkSync(join(outside, "file"), join(work, "hard"))
      const { files } = yield* make(work, agentDir)
      const target = yield* files.inspect(join(work, "hard"))
      yield* files.replace(target, new TextEncoder().encode("new"), () => undefined)
      assert.strictEqual(readFileSync(join(outside, "file"), "utf8"), "old")
      assert.strictEqual(readFileSync(join(work, "hard"), "utf8"), "new")
    })
  )

  it.scopedLive("follow no link that takes the place of a folder between the look and the write", () =>
    Effect.gen(function* () {
      const { agentDir, outside, work } = yield* ground
      const { files } = yield* make(work, agentDir)
      mkdirSync(join(work, "folder"))
      writeFileSync(join(work, "folder/file"), "old")
      writeFileSync(join(outside, "file"), "old")
      const real = yield* files.resolve(join(work, "folder/file"))
      const target = yield* files.inspect(real)
      renameSync(join(work, "folder"), join(work, "moved"))
      symlinkSync(outside, join(work, "folder"))
      assert.match(yield* refusal(files.replace(target, new TextEncoder().encode("new"), () => undefined)), /^refused/)
      assert.match(yield* refusal(files.makeParents(join(work, "folder/new/file"))), /^refused/)
      assert.deepStrictEqual(readdirSync(outside), ["file"])
      assert.strictEqual(readFileSync(join(outside, "file"), "utf8"), "old")
    })
  )

  it.scopedLive("write nothing outside while a command swaps folders and links under them", () =>
    Effect.gen(function* () {
      const { agentDir, outside, root, work } = yield* ground
      writeFileSync(join(outside, "file"), "old")
      for (const name of ["d", "swap"]) mkdirSync(join(work, name))
      writeFileSync(join(work, "d/file"), "old")
      symlinkSync(outside, join(work, "link"))
      const { bash, files } = yield* make(work, agentDir)
      const script = `const { existsSync, renameSync: move } = require("node:fs")
        while (!existsSync("stop")) {
          move("d", "swap/d"), move("link", "d")
          for (let n = 0; n < 500; n++) existsSync("stop")
          move("d", "link"), move("swap/d", "d")
          for (let n = 0; n < 500; n++) existsSync("stop")
        }`
      writeFileSync(join(work, "swap.js"), script)
      const swapping = bash(`'${bunIn(root)}' swap.js`)
      const write = Effect.gen(function* () {
        const real = yield* files.resolve(join(work, "d/file"))
        const target = yield* files.inspect(real)
        yield* files.makeParents(join(work, "d/new/file"))
        yield* files.replace(target, new TextEncoder().encode("new"), () => undefined)
      })
      const outcomes = { written: 0, refused: 0 }
      const once = Effect.match(write, {
        onFailure: ({ reason }) => void (outcomes.refused += reason === "refused" ? 1 : 0),
        onSuccess: () => void outcomes.written++
      })
      // Until each has happened often: how the two fall together is up to the machine.
      const isEnough = () => outcomes.written > 20 && outcomes.refused > 20
      const writing = Effect.ensuring(
        Effect.repeat(once, { until: isEnough }),
        Effect.sync(() => writeFileSync(join(work, "stop"), ""))
      )
      yield* Effect.all([writing, swapping], { concurrency: 2 })
      assert.deepStrictEqual(readdirSync(outside), ["file"])
      assert.strictEqual(readFileSync(join(outside, "file"), "utf8"), "old")
    })
  )

  it.scopedLive("keep what a file .git leads to, and what it will lead to", () =>
    Effect.gen(function* () {
      const { agentDir, work } = yield* ground
      git(work, "init", "-q", "--separate-git-dir", join(work, "store"), "apart")
      mkdirSync(join(work, "dangling"))
      writeFileSync(join(work, "dangling/.git"), "gitdir: ../to-come\n")
      const { files } = yield* make(work, agentDir)
      for (const path of ["store/hooks/x", "apart/.git", "to-come/config"])
        assert.match(yield* refusal(files.resolve(join(work, path))), /is read-only/)
    })
  )
})
