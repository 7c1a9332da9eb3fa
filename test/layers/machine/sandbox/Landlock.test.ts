/** A real machine that refuses namespaces: what Landlock holds there, each beside a control that proves that the command ran. */
import { existsSync, mkdirSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import * as Backends from "../../../../src/layers/machine/sandbox/Backends.ts"
import * as Landlock from "../../../../src/layers/machine/sandbox/Landlock.ts"
import type { Policy } from "../../../../src/layers/machine/sandbox/Policy.ts"
import type { SandboxOptions } from "../../../../src/layers/machine/sandbox/Options.ts"
import { decided } from "../../../../src/services/machine/Sandbox.ts"
import { canLock, bunIn, ground, make as makeWith, withoutNamespaces } from "../../../support/sandbox/Confined.ts"

/** False for a process that has ended, also where nobody has taken note of it yet. */
const isAlive = (pid: string) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8") !== ""
  } catch {
    return false
  }
}

const make = (cwd: string, agentDir: string, options: Partial<SandboxOptions> = {}) =>
  makeWith(cwd, agentDir, options, withoutNamespaces)

describe.skipIf(!canLock)("commands that Landlock holds", () => {
  it.scopedLive("write the working folder and a folder of their own, and nothing else", () =>
    Effect.gen(function* () {
      const { agentDir, outside, work } = yield* ground
      writeFileSync(join(outside, "old"), "old")
      const { bash, sandbox } = yield* make(work, agentDir)
      assert.strictEqual(sandbox.backend, "landlock")
      for (const part of ["extensions", "host_tools", "processes", "git"]) assert.include(sandbox.outside, part)
      const inside = yield* bash(
        `mkdir d && echo x > d/a && mv d/a b && ln -s b l && cat l && echo y > $TMPDIR/t && cat $TMPDIR/t > /dev/stdout && : > /dev/null && echo $TMPDIR`
      )
      assert.match(inside.output, /^x\ny\n\/.+\n$/)
      assert.isFalse(existsSync(inside.output.trim().split("\n").at(-1) ?? "/"))
      const attempts = [
        `: > ${outside}/new`,
        `: >> ${outside}/old`,
        `truncate -s 0 ${outside}/old`,
        `rm ${outside}/old`,
        `mv b ${outside}/b`,
        `mv ${outside}/old stolen`,
        `ln ${outside}/old stolen`,
        `mkdir ${outside}/d`,
        `ln -s x ${outside}/l`,
        `: > /tmp/heddle-landlock-test`,
        `: > /proc/sys/kernel/core_pattern.x`,
        `: > /proc/self/root${outside}/new`,
        `mknod device b 7 0`,
        `chmod u+s ${outside}/old`,
        `chmod g+s b`,
        `mount -t tmpfs none d`
      ]
      for (const attempt of attempts) {
        const { output } = yield* bash(`(${attempt}) 2>/dev/null && echo WAS DONE; cat b`)
        assert.strictEqual(output, "x\n", attempt)
      }
      assert.deepStrictEqual(readdirSync(outside), ["old"])
      assert.strictEqual(readFileSync(join(outside, "old"), "utf8"), "old")
    })
  )

  it.scopedLive("change nothing but their own folder in the mode read-only", () =>
    Effect.gen(function* () {
      const { agentDir, work } = yield* ground
      const { bash } = yield* make(work, agentDir, { mode: "read-only" })
      const { output } = yield* bash("touch a 2>&1; touch $TMPDIR/b && echo made")
      assert.match(output, /Permission denied\nmade\n$/)
      assert.deepStrictEqual(readdirSync(work), [])
    })
  )

  it.scopedLive("read no keys, no temporary files of others and nothing of heddle's process", () =>
    Effect.gen(function* () {
      const { agentDir, outside, work } = yield* ground
      mkdirSync(join(outside, "keys"))
      for (const name of ["keys/id", "token", "open"]) writeFileSync(join(outside, name), `<${name}>`)
      writeFileSync(join(agentDir, "auth.json"), "<auth>")
      const hidden = [join(outside, "keys"), join(outside, "token")]
      const { bash } = yield* make(work, agentDir, { hidden })
      const { output } = yield* bash(
        `cat ${outside}/keys/id ${outside}/token ${agentDir}/auth.json /proc/self/root${outside}/token /proc/${process.pid}/environ /proc/${process.pid}/root/etc/passwd 2>/dev/null
        ln ${outside}/token t 2>/dev/null; cp -r ${outside} copy 2>/dev/null; cat copy/token copy/keys/id 2>/dev/null; cat ${outside}/open`
      )
      assert.strictEqual(output, "<open>")
    })
  )

  it.scopedLive("have no network, no Unix sockets, no rights of root and none of heddle's descriptors", () =>
    Effect.gen(function* () {
      const { agentDir, outside, work } = yield* ground
      const server = yield* Effect.acquireRelease(
        Effect.sync(() => Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("hello") })),
        (started) => Effect.promise(() => started.stop(true))
      )
      const script = `const { dlopen } = require("bun:ffi")
        const { socket } = dlopen("libc.so.6", { socket: { args: ["i32", "i32", "i32"], returns: "i32" } }).symbols
        console.log([[1, 1], [2, 1], [2, 2], [10, 2], [16, 3]].map(([family, type]) => socket(family, type, 0) >= 0).join())`
      writeFileSync(join(work, "sockets.js"), script)
      const probe = `(exec 3<>/dev/tcp/127.0.0.1/${server.port}) 2>/dev/null && echo connected; '${bunIn(outside)}' sockets.js; grep -E 'CapEff|CapBnd|NoNewPrivs|SigIgn' /proc/self/status; for n in $(seq 3 64); do [ -e /proc/self/fd/$n ] && echo $n; done; true`
      const off = yield* (yield* make(work, agentDir)).bash(probe)
      const none = "0".repeat(16)
      const rights = `SigIgn:\t${none}\nCapEff:\t${none}\nCapBnd:\t${none}\nNoNewPrivs:\t1\n`
      assert.strictEqual(off.output.replace(/CapBnd.*/, `CapBnd:\t${none}`), `false,false,false,false,true\n${rights}`)
      const on = yield* (yield* make(work, agentDir, { network: "open" })).bash(probe)
      assert.match(on.output, /^connected\nfalse,true,true,true,true\n/)
      if (process.getuid?.() === 0) assert.include(off.output, `CapBnd:\t${none}`)
    })
  )

  it.scopedLive("cannot reach what holds them: by variables, or by files that Bun reads where it starts", () =>
    Effect.gen(function* () {
      const { agentDir, outside, work } = yield* ground
      writeFileSync(
        join(work, "plant.js"),
        `require("node:fs").writeFileSync(${JSON.stringify(join(outside, "p"))}, "")`
      )
      writeFileSync(join(work, "bunfig.toml"), 'preload = ["./plant.js"]\n')
      writeFileSync(join(work, ".env"), "PLANTED=1\n")
      const { bash, processes } = yield* make(work, agentDir)
      const trace = join(outside, "trace")
      const env = { LD_DEBUG: "libs", LD_DEBUG_OUTPUT: trace, BUN_OPTIONS: `--preload ${join(work, "plant.js")}` }
      yield* decided("without")(bash("true", env))
      assert.isAbove(readdirSync(outside).length, 0)
      for (const name of readdirSync(outside)) unlinkSync(join(outside, name))
      const { output } = yield* bash("echo $LD_DEBUG_OUTPUT $PLANTED $BUN_BE_BUN", env)
      assert.include(output, `${trace}\n`)
      yield* processes.run({ command: ["true"], cwd: work, env, onOutput: () => true })
      assert.deepStrictEqual(readdirSync(outside), [])
    })
  )

  it.scopedLive("end as they end elsewhere, and get their words and variables as they are", () =>
    Effect.gen(function* () {
      const { agentDir, work } = yield* ground
      const { bash, processes } = yield* make(work, agentDir)
      assert.strictEqual((yield* bash("exit 3")).code, 3)
      assert.strictEqual((yield* bash("kill -TERM $$")).code, 143)
      assert.strictEqual((yield* bash("nothing-of-this-name 2>/dev/null")).code, 127)
      assert.strictEqual((yield* bash("yes | head -1; exit ${PIPESTATUS[0]}")).code, 141)
      const text = "a b\nc\"'$x\u00fc"
      const given = yield* bash('printf %s "$TEXT"; echo ${#LONG}', { TEXT: text, LONG: "x".repeat(120_000) })
      assert.strictEqual(given.output, `${text}120000\n`)
      assert.strictEqual((yield* bash(`: ${"x".repeat(200_000)}\necho long`)).output, "long\n")
      let output = ""
      const onOutput = (chunk: Uint8Array) => {
        output += new TextDecoder().decode(chunk)
        return true
      }
      const command = ["printf", "%s|", "--", "-e", "", text]
      const ended = yield* processes.run({ command, cwd: work, env: { PATH: "/usr/bin:/bin" }, onOutput })
      assert.deepStrictEqual([ended.exitCode, output], [0, `--|-e||${text}|`])
      const missing = yield* processes.run({ command: ["/no/such"], cwd: work, env: {}, keepErrors: true, onOutput })
      assert.deepStrictEqual(missing, { exitCode: 127, errors: "heddle: /no/such cannot be started (error 2)\n" })
    })
  )

  it.scopedLive("are ended with all that they have started, also in a session of its own", () =>
    Effect.gen(function* () {
      const { agentDir, work } = yield* ground
      const { processes } = yield* make(work, agentDir)
      const tree = yield* processes.tree({ shellPath: "bash", grace: () => 100, jobGrace: 100 })
      const seen = Promise.withResolvers<string>()
      let output = ""
      const take = (chunk: Uint8Array) => {
        output += new TextDecoder().decode(chunk)
        if (output.split("\n").length > 3) seen.resolve(output)
        return undefined
      }
      const command = `echo $$; (sleep 1000 & echo $!; wait) & setsid bash -c 'echo $$; exec sleep 1000' & wait`
      const env = { PATH: process.env["PATH"] ?? "" }
      const shell = yield* tree.spawn({ command, cwd: work, env, take })
      const pids = (yield* Effect.promise(() => seen.promise)).trim().split("\n")
      assert.isTrue(pids.every(isAlive))
      yield* shell.end
      yield* shell.release
      assert.strictEqual(pids.length, 3)
      assert.deepStrictEqual(pids.filter(isAlive), [])
    })
  )

  it.scopedLive("that fail are told what would allow it, without a word that is not true of Landlock", () =>
    Effect.gen(function* () {
      const { agentDir, outside, work } = yield* ground
      const { bash, sandbox } = yield* make(work, agentDir)
      const { code, output } = yield* bash(`touch ${outside}/x`)
      const { advice, report } = yield* sandbox.judge({ exitCode: code, output })
      assert.deepStrictEqual(report, { mode: "workspace-write", network: "off", backend: "landlock", denied: true })
      assert.match(advice ?? "", /^Sandbox \(workspace-write\): .*\$TMPDIR.*escalate: true.*sandbox\.writable/)
      assert.notMatch(advice ?? "", /\.git|private \/tmp/)
      assert.isUndefined((yield* sandbox.judge({ exitCode: 1, output: "1 test failed" })).advice)
    })
  )

  it.scopedLive("are not started where something invisible is in a writable folder", () =>
    Effect.gen(function* () {
      const { agentDir, work } = yield* ground
      writeFileSync(join(work, "key"), "")
      const made = yield* Effect.either(make(work, agentDir, { hidden: [join(work, "key")] }))
      assert.match(Either.isLeft(made) ? made.left.message : "", /Landlock cannot hide .*\/work\/key/)
    })
  )

  it.scopedLive("are not held by it where all has to be held", () =>
    Effect.gen(function* () {
      const { agentDir, work } = yield* ground
      const made = yield* Effect.either(make(work, agentDir, { whole: true }))
      assert.match(Either.isLeft(made) ? made.left.message : "", /bubblewrap|bwrap|does not start here/)
    })
  )

  it.scopedLive("heddle doctor finds it", () =>
    Effect.map(Backends.here(withoutNamespaces.processes), ({ name }) => assert.strictEqual(name, "landlock"))
  )
})

describe("what Landlock is told", () => {
  const policy: Policy = {
    mode: "workspace-write",
    network: "off",
    workspace: "/home/u/work",
    writable: ["/home/u/work"],
    kept: [],
    absent: [],
    hidden: [{ path: "/home/u/.ssh", isFolder: true }],
    tmpBytes: 1024
  }
  const tree: Record<string, ReadonlyArray<string>> = {
    "/": ["/home", "/etc", "/tmp", "/run", "/dev"],
    "/home": ["/home/u", "/home/v"],
    "/home/u": ["/home/u/.ssh", "/home/u/.bashrc", "/home/u/work"]
  }
  const told = (changed: Policy) => {
    const view = { policy: changed, cwd: "/", variables: { A: "1" }, room: "/tmp/r", ofRun: [], filter: "" }
    return JSON.parse(new TextDecoder().decode(Landlock.order(view, (folder) => tree[folder] ?? [])))
  }

  it("the siblings of what is invisible, and never a folder that contains it", () => {
    const { env, listable, readable, writable } = told(policy)
    assert.deepStrictEqual(readable, ["/home/u/.bashrc", "/home/u/work", "/home/v", "/etc"])
    assert.deepStrictEqual(listable, ["/"])
    assert.deepStrictEqual(writable.slice(0, 2), ["/home/u/work", "/tmp/r"])
    assert.deepStrictEqual(env, { A: "1", TMPDIR: "/tmp/r", TMP: "/tmp/r", TEMP: "/tmp/r" })
  })
  it("a working folder below /tmp in the mode read-only", () => {
    const { readable } = told({ ...policy, workspace: "/tmp/work", writable: [] })
    assert.include(readable, "/tmp/work")
    assert.notInclude(readable, "/tmp")
  })
  it("nothing, where something invisible is in a writable folder", () => {
    assert.isUndefined(Landlock.problem(policy))
    const hidden = [{ path: "/home/u/work/key", isFolder: false }]
    assert.match(Landlock.problem({ ...policy, hidden }) ?? "", /\/home\/u\/work\/key/)
  })
})
