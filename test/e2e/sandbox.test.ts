/** The real command with a sandbox: what hosts and models are told, what a project may change, and how a start is refused. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { tempFolder } from "../layers/tools/TempFolder.ts"
import * as Repos from "../support/git/Repos.ts"
import * as HostProcess from "../support/host/HostProcess.ts"
import { canHold, canLock } from "../support/sandbox/Confined.ts"

const { type } = HostProcess

const call = (name: string, args: object) => ({ toolCall: { name, arguments: args } })
const say = (text: string) => ({ steps: [{ text }] })

interface Options {
  readonly cwd: string
  readonly home: string
  readonly args: ReadonlyArray<string>
  readonly turns?: ReadonlyArray<object>
}

const open = ({ args, cwd, home, turns = [] }: Options) => {
  const file = join(home, "scenario.json")
  writeFileSync(file, JSON.stringify({ turns }))
  return HostProcess.open({
    cwd,
    env: { HOME: home, HEDDLE_AGENT_DIR: join(home, "agent") },
    args: ["--model", "offline/script", "--set", `offline.scenario=${file}`, ...args]
  })
}

const places = Effect.map(Effect.all([Repos.withCommit({ "a.txt": "a\n" }), tempFolder]), ([cwd, home]) => ({
  cwd,
  home
}))

const prompted = (host: HostProcess.HostProcess) =>
  Effect.promise(async () => {
    host.send({ id: "p", type: "prompt", message: "go" })
    await host.until(type("prompt_result"))
    const frames = host.frames()
    const ended = (id: unknown) =>
      frames.find((frame) => frame["type"] === "tool_execution_end" && frame["toolCallId"] === id)
    return frames
      .filter((frame) => frame["type"] === "tool_execution_start")
      .map((frame) => Object(ended(frame["toolCallId"])?.["result"]))
  })

const asked = (host: HostProcess.HostProcess, command: string) =>
  Effect.promise(async () => {
    host.send({ id: command, type: command })
    return Object((await host.until((frame) => frame["id"] === command))["data"])
  })

const textOf = (result: Record<string, unknown>): string => Object(Object(result["content"])[0])["text"]

const inForce = {
  sandbox: "workspace-write",
  network: "off",
  approvals: "off",
  trust: "untrusted",
  backend: "bubblewrap",
  outside: ["extensions", "host_tools"]
}

describe.skipIf(!canHold)("a sandbox over the real pipes", () => {
  it.scopedLive("hosts are told what is in force, and models what was denied and what would allow it", () =>
    Effect.gen(function* () {
      const place = yield* places
      const { cwd, home } = place
      const host = yield* open({
        ...place,
        args: ["--sandbox", "workspace-write", "--no-ui"],
        turns: [
          {
            steps: [
              call("bash", { command: "echo x > new.txt; git commit --allow-empty -m x" }),
              call("bash", { command: "true" }),
              call("bash", { command: "touch b", escalate: true }),
              call("write", { path: join(home, "c"), content: "" }),
              call("read", { path: join(home, "agent/auth.json") })
            ]
          },
          say("done")
        ]
      })
      const ready = yield* Effect.promise(() => host.until(type("ready")))
      assert.deepStrictEqual(ready["enforcement"], inForce)
      assert.deepStrictEqual((yield* asked(host, "get_state")).enforcement, inForce)
      assert.deepStrictEqual((yield* asked(host, "initialize")).enforcement, inForce)
      const [commit, fine, escalated, written, read] = yield* prompted(host)
      const report = { mode: "workspace-write", network: "off", backend: "bubblewrap" }
      assert.deepStrictEqual(commit.details.sandbox, { ...report, denied: true })
      assert.match(
        textOf(commit),
        /exited with code 128\n\nSandbox \(workspace-write\): \.git is read-only.*escalate: true/
      )
      assert.deepStrictEqual(fine.details.sandbox, { ...report, denied: false })
      assert.strictEqual(textOf(fine), "(no output)")
      assert.strictEqual(textOf(escalated), "Approval unavailable: no host can answer")
      assert.match(textOf(written), /^Sandbox \(workspace-write\): .*\/c cannot be seen/)
      assert.deepStrictEqual(written.details.sandbox, { ...report, denied: true })
      assert.match(textOf(read), /^File not found|^Sandbox/)
      assert.deepStrictEqual([existsSync(join(cwd, "new.txt")), existsSync(join(cwd, "b"))], [true, false])
    })
  )

  it.scopedLive("the user's own command is held, and its result says so", () =>
    Effect.gen(function* () {
      const place = yield* places
      const host = yield* open({ ...place, args: ["--sandbox", "read-only", "--network", "on"] })
      host.send({ id: "b", type: "bash", command: "touch x" })
      const { data } = yield* Effect.promise(() => host.until(HostProcess.answer("b")))
      const { advice, ...held } = Object(data).sandbox
      assert.deepStrictEqual(held, { mode: "read-only", network: "open", backend: "bubblewrap", denied: true })
      assert.match(advice, /^Sandbox \(read-only\): a command can write nothing but its private \/tmp/)
    })
  )

  it.scopedLive("an isolated agent and its verification write the worktree, and the work comes back", () =>
    Effect.gen(function* () {
      const place = yield* places
      const tasks = [{ id: "one", description: "Do it", assignment: "Do it" }]
      const command = `test -f b.txt && touch checked && ! touch '${place.cwd}/stray' && ! touch .git/x`
      const verify = { commands: [{ name: "check", command }] }
      const host = yield* open({
        ...place,
        args: ["--sandbox", "workspace-write", "--set", "task.isolation.mode=worktree"],
        turns: [
          { steps: [call("task", { agent: "task", isolated: true, tasks, verify })] },
          {
            steps: [
              call("bash", { command: `echo b > b.txt; touch '${place.cwd}/stray'` }),
              call("write", { path: "c.txt", content: "c" })
            ]
          },
          { steps: [call("submit_result", { result: "done" })] },
          say("done")
        ]
      })
      const results = yield* prompted(host)
      assert.isFalse(existsSync(join(place.cwd, "stray")))
      assert.strictEqual(
        existsSync(join(place.cwd, "b.txt")) && readFileSync(join(place.cwd, "b.txt"), "utf8"),
        "b\n",
        JSON.stringify(results).slice(0, 2000)
      )
      assert.strictEqual(readFileSync(join(place.cwd, "c.txt"), "utf8"), "c")
    })
  )

  it.scopedLive("a project makes it stricter, and never looser", () =>
    Effect.gen(function* () {
      const place = yield* places
      mkdirSync(join(place.cwd, ".heddle"))
      const settings = (values: object) =>
        writeFileSync(join(place.cwd, ".heddle/settings.json"), JSON.stringify(values))
      const started = (args: ReadonlyArray<string>) =>
        Effect.scoped(
          Effect.gen(function* () {
            const host = yield* open({ ...place, args })
            const { enforcement } = yield* Effect.promise(() => host.until(type("ready")))
            yield* asked(host, "get_state")
            const notices = host.frames().filter((frame) => frame["type"] === "notice" && frame["source"] === "trust")
            const { network, sandbox } = Object(enforcement)
            return { sandbox, network, notice: notices.map((frame) => String(frame["message"])).join() }
          })
        )
      settings({ sandbox: "read-only", network: "off" })
      assert.deepStrictEqual(yield* started(["--sandbox", "off"]), { sandbox: "read-only", network: "off", notice: "" })
      settings({ sandbox: "off", network: "on", "sandbox.writable": ["/usr"], "sandbox.hidden": ["x"] })
      const { notice, ...held } = yield* started(["--approve", "--sandbox", "workspace-write"])
      assert.deepStrictEqual(held, { sandbox: "workspace-write", network: "off" })
      assert.match(notice, /: sandbox, network, sandbox\.writable/)
    })
  )
})

describe.skipIf(!canLock)("where namespaces are refused", () => {
  const ids = process.getuid?.() === 0 ? [0, 65534] : [process.getuid?.() ?? 0]
  it.scopedLive.each(ids)("Landlock holds commands, hosts are told so, and it is no default (user %i)", (id) =>
    Effect.gen(function* () {
      const { cwd, home } = yield* places
      const bin = join(home, "bin")
      mkdirSync(bin)
      writeFileSync(join(bin, "bwrap"), "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
      chmodSync(join(bin, "bwrap"), 0o755)
      Bun.spawnSync(["chown", "-R", String(id), cwd, home])
      const command = `id -u; cat "$HOME/agent/auth.json"; echo x > "$HOME/stray"; echo y > made`
      mkdirSync(join(home, "agent"), { recursive: true })
      const turns = [{ steps: [call("bash", { command })] }, say("done")]
      writeFileSync(join(home, "scenario.json"), JSON.stringify({ turns }))
      writeFileSync(join(home, "agent/auth.json"), "{}")
      Bun.spawnSync(["chown", "-R", String(id), home])
      const as = process.getuid?.() === 0 ? ["setpriv", `--reuid=${id}`, "--clear-groups"] : []
      const started = (args: ReadonlyArray<string>) =>
        HostProcess.open({
          cwd,
          command: [...as, process.execPath, HostProcess.entry],
          env: { HOME: home, HEDDLE_AGENT_DIR: join(home, "agent"), PATH: `${bin}:${process.env["PATH"] ?? ""}` },
          args: ["--model", "offline/script", "--set", `offline.scenario=${join(home, "scenario.json")}`, ...args]
        })
      const host = yield* started(["--sandbox", "workspace-write", "--no-ui"])
      const { enforcement } = yield* asked(host, "get_state")
      assert.deepInclude(Object(enforcement), { sandbox: "workspace-write", network: "off", backend: "landlock" })
      assert.includeMembers(Object(enforcement).outside, ["extensions", "host_tools", "processes", "git"])
      const [result] = yield* prompted(host)
      const text = textOf(result)
      assert.match(text, new RegExp(`^${id}\n.*auth.json: Permission denied\n.*stray: Permission denied`))
      assert.strictEqual(readFileSync(join(cwd, "made"), "utf8"), "y\n")
      assert.isFalse(existsSync(join(home, "stray")))
      const refusing = yield* started(["--approvals", "auto"])
      assert.strictEqual((yield* Effect.promise(() => refusing.exited)).code, 1)
      assert.match(refusing.stderr(), /SANDBOX_UNAVAILABLE/)
    })
  )
})

describe("a start with a sandbox is refused", () => {
  const refused = (args: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}) =>
    Effect.gen(function* () {
      const home = yield* tempFolder
      const cwd = join(home, "work")
      mkdirSync(cwd)
      const child = Bun.spawnSync([process.execPath, HostProcess.entry, "--mode", "rpc", ...args], {
        cwd,
        env: { PATH: process.env["PATH"] ?? "", HOME: home, HEDDLE_AGENT_DIR: join(home, "agent"), ...more }
      })
      assert.strictEqual(child.stdout.toString(), "")
      assert.strictEqual(child.exitCode, 1)
      const [line = ""] = child.stderr.toString().trim().split("\n").slice(-1)
      return Object(JSON.parse(line)).error
    })

  it.scopedLive.skipIf(process.platform !== "linux")("with the line that fixes it where it cannot be had", () =>
    Effect.gen(function* () {
      const { code, message } = yield* refused(["--approvals", "auto"], { PATH: "/nowhere" })
      assert.strictEqual(code, "SANDBOX_UNAVAILABLE")
      assert.match(message, /bubblewrap \(bwrap\) is not found\nfix: install bubblewrap/)
    })
  )

  it.scopedLive.skipIf(process.platform !== "linux")("also where one word asks for it", () =>
    Effect.gen(function* () {
      for (const word of ["auto", "read-only"]) {
        const { code } = yield* refused(["--approvals", word], { PATH: "/nowhere" })
        assert.strictEqual(code, "SANDBOX_UNAVAILABLE")
      }
      const { code } = yield* refused(["--approvals", "full", "--network", "off"])
      assert.strictEqual(code, "INVALID_ARG")
    })
  )

  it.scopedLive("where the options make no sense", () =>
    Effect.gen(function* () {
      for (const [args, expected] of [
        [["--network", "off"], /--network off needs a sandbox/],
        [["--sandbox", "strict"], /--sandbox must be one of off, read-only, workspace-write/],
        [["--sandbox", "workspace-write", "--cwd", ".."], /home folder/]
      ] as const) {
        const { code, message } = yield* refused(args)
        assert.strictEqual(code, "INVALID_ARG")
        assert.match(message, expected)
      }
    })
  )
})
