/** Approvals of the real command over real pipes: options, settings of a project, scripts, hosts that go away, and history. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Repos from "../support/git/Repos.ts"
import * as HostProcess from "../support/host/HostProcess.ts"
import { makeHome } from "./command.ts"

const home = makeHome()
afterAll(home.remove)

const call = (id: string, name: string, args: object) => ({ toolCall: { id, name, arguments: args } })
const touching = (name: string, ...more: ReadonlyArray<object>) =>
  home.script([{ steps: [call("t1", "bash", { command: `touch ${name}` }), ...more] }, { steps: [{ text: "done" }] }])
const has = (name: string) => existsSync(join(home.folder, name))
const once = (args: ReadonlyArray<string>) => Effect.promise(() => home.run(["--offline", ...args, "-p", "go"]))

describe("a script", () => {
  it.live("never waits: what would be asked is denied, stderr says what allows it, and the code is 4", () =>
    Effect.gen(function* () {
      const script = touching("a1", call("t2", "write", { path: "it's.txt", content: "" }), call("t3", "ls", {}))
      const { code, err, out } = yield* once(["--approvals", "ask", ...script])
      assert.deepStrictEqual([code, out, has("a1")], [4, "done\n", false])
      assert.include(err, `--allow 'bash(touch a1)'`)
      assert.include(err, String.raw`--allow 'write(it'\''s.txt)'`)
      assert.strictEqual(err.match(/--allow/g)?.length, 2)
      const json = yield* once(["--mode", "json", "--approvals", "ask", ...touching("a1")])
      assert.strictEqual(json.code, 4)
      assert.include(json.err, "--allow 'bash(touch a1)'")
      assert.notInclude(json.out, "approval_request")
    })
  )

  it.live("does what it was told how to allow, and a rule or the mode deny leaves the code alone", () =>
    Effect.gen(function* () {
      const allowed = yield* once(["--approvals", "ask", "--allow", "bash(touch a2)", ...touching("a2")])
      assert.deepStrictEqual([allowed.code, has("a2")], [0, true])
      for (const options of [
        ["--deny", "bash(touch *)"],
        ["--approvals", "deny"],
        ["--approvals", "deny", "--ask", "bash"]
      ]) {
        const denied = yield* once([...options, ...touching("a3")])
        assert.deepStrictEqual([denied.code, denied.out, has("a3")], [0, "done\n", false])
      }
      const off = yield* once(["--approvals", "full", ...touching("a4")])
      assert.deepStrictEqual([off.code, has("a4")], [0, true])
    })
  )

  it.live("says the error of the run, and not 4, if the run has failed as well", () =>
    Effect.gen(function* () {
      const script = home.script([{ steps: [call("t1", "bash", { command: "touch a5" })] }])
      const { code } = yield* once(["--approvals", "ask", ...script])
      assert.deepStrictEqual([code, has("a5")], [1, false])
    })
  )
})

describe("a start", () => {
  const mistakes: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
    [["--allow", "bash(ls"], /INVALID_ARG.*"\)\\?" at the end is missing/],
    [["--deny", "mail"], /INVALID_ARG.*there is no tool/],
    [["--set", 'approvals.ask=["write("]'], /INVALID_ARG/],
    [["--approvals", "maybe"], /INVALID_ARG.*must be one of off, ask, deny/]
  ]
  it.live.each(mistakes)("with %j ends with 1, and stdout stays empty", ([args, message]) =>
    Effect.gen(function* () {
      const { code, err, out } = yield* Effect.promise(() => home.run(["--mode", "rpc", ...args]))
      assert.deepStrictEqual([code, out], [1, ""])
      assert.match(err, message)
    })
  )

  it.live("with a rule in the user's settings that is none ends so, too", () =>
    Effect.gen(function* () {
      home.write("settings.json", { approvals: { deny: ["bash(rm"] } })
      const { code, err } = yield* once(touching("b1"))
      home.write("settings.json", {})
      assert.deepStrictEqual([code, has("b1")], [1, false])
      assert.match(err, /Rule bash\(rm/)
    })
  )
})

describe("a project that is not trusted", () => {
  it.live("makes the policy stricter, in rpc mode, too, and cannot loosen it", () =>
    Effect.gen(function* () {
      const folder = join(home.folder, ".heddle")
      mkdirSync(folder)
      home.put(
        ".heddle/settings.json",
        JSON.stringify({ approvals: { deny: ["bash(touch *)"], allow: ["bash"], mode: "off" } })
      )
      const denied = yield* once(["--approvals", "ask", ...touching("c1")])
      const allowed = yield* once([
        "--approvals",
        "ask",
        ...home.script([{ steps: [call("t", "bash", { command: "> c2" })] }, { steps: [{ text: "x" }] }])
      ])
      const rpc = yield* Effect.promise(() =>
        home.run(["--mode", "rpc", "--offline"], { input: '{"type":"get_state"}\n' })
      )
      rmSync(folder, { recursive: true })
      assert.deepStrictEqual([denied.code, has("c1")], [0, false])
      assert.deepStrictEqual([allowed.code, has("c2")], [4, false])
      assert.match(denied.err, /would loosen what protects you[^]*approvals\.allow, approvals\.mode/)
      assert.match(rpc.out, /"source":"trust"/)
    })
  )
})

const open = (args: ReadonlyArray<string>, cwd = home.folder) =>
  HostProcess.open({
    args: ["--offline", "--rpc-updates", "delta", ...args],
    cwd,
    env: { HEDDLE_AGENT_DIR: home.agentDir, HOME: home.folder }
  })
const frame = (type: string) => (found: Record<string, unknown>) => found["type"] === type

describe("a host", () => {
  it.scopedLive("cannot loosen what the command line has fixed", () =>
    Effect.gen(function* () {
      const host = yield* open(["--approvals", "deny", ...touching("d1")])
      host.send({ id: "s", type: "set_approval_policy", mode: "ask" })
      host.send({ id: "r", type: "set_approval_policy", rules: { allow: ["bash"] } })
      host.send({ id: "t", type: "set_approval_policy", rules: { deny: ["bash"] } })
      const codes = yield* Effect.promise(() =>
        Promise.all(["s", "r", "t"].map(async (id) => (await host.until(HostProcess.answer(id)))["code"] ?? "ok"))
      )
      assert.deepStrictEqual(codes, ["approvals_fixed", "approvals_fixed", "ok"])
    })
  )

  it.scopedLive("that closes stdin while it is asked has denied, and with --drain the run ends well", () =>
    Effect.gen(function* () {
      const host = yield* open(["--drain", "--approvals", "ask", ...touching("d2")])
      host.send({ id: "i", type: "initialize", capabilities: { approvals: true } })
      host.send({ id: "p", type: "prompt", message: "go" })
      yield* Effect.promise(() => host.until(frame("approval_request")))
      host.closeInput()
      const resolved = yield* Effect.promise(() => host.until(frame("approval_resolved")))
      assert.deepInclude(resolved, { decision: "deny", by: "disconnect" })
      const ended = yield* Effect.promise(() => host.until(frame("tool_execution_end")))
      assert.include(JSON.stringify(ended), "Approval unavailable: no host can answer")
      assert.strictEqual((yield* Effect.promise(() => host.exited)).code, 0)
      assert.isFalse(has("d2"))
    })
  )

  it.scopedLive("finds the decisions in the session, and they permit nothing after a restart", () =>
    Effect.gen(function* () {
      const first = yield* open(["--approvals", "ask", "--session-id", "kept", ...touching("d3")])
      first.send({ id: "i", type: "initialize", capabilities: { approvals: true } })
      first.send({ id: "p", type: "prompt", message: "go" })
      const asked = yield* Effect.promise(() => first.until(frame("approval_request")))
      first.send({ id: "a", type: "approval_response", approvalId: asked["approvalId"], decision: "allow_session" })
      yield* Effect.promise(() => first.until(frame("session_settled")))
      first.closeInput()
      yield* Effect.promise(() => first.exited)
      assert.isTrue(has("d3"))
      const folder = join(home.agentDir, "sessions")
      const [file = ""] = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
        name.includes("kept")
      )
      const entries = readFileSync(join(folder, file), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      const [decided, ...others] = entries.filter(({ customType }) => customType === "heddle.approval")
      assert.deepStrictEqual(others, [])
      assert.deepInclude(decided.data, {
        toolCallId: "t1",
        decision: "allow_session",
        by: "host",
        argsHash: asked["argsHash"]
      })
      const again = yield* open(["--approvals", "ask", "--session-id", "kept", ...touching("d3")])
      again.send({ id: "i", type: "initialize", capabilities: { approvals: true } })
      again.send({ id: "p", type: "prompt", message: "go" })
      const askedAgain = yield* Effect.promise(() => again.until(frame("approval_request")))
      assert.strictEqual(askedAgain["argsHash"], asked["argsHash"])
    })
  )
})

describe("an isolated task", () => {
  const isolated = call("t1", "task", {
    agent: "task",
    isolated: true,
    verify: { commands: [{ name: "check", command: "touch checked" }], onFailure: "return_failure" },
    tasks: [{ id: "Fix", assignment: "Write a file." }]
  })
  const turns = [
    { steps: [isolated] },
    { steps: [call("w", "write", { path: "b.txt", content: "by the agent\n" })] },
    { steps: [call("s", "submit_result", { result: "done" })] },
    { steps: [{ text: "ok" }] }
  ]

  it.scopedLive(
    "asks for what its subagent does and for its checks, by the id of the subagent; a check that is denied has failed",
    () =>
      Effect.gen(function* () {
        const repo = yield* Repos.withCommit({ "a.txt": "a\n" })
        const host = yield* open(
          ["--approvals", "ask", "--set", "task.isolation.mode=worktree", ...home.script(turns)],
          repo
        )
        host.send({ id: "i", type: "initialize", capabilities: { approvals: true } })
        host.send({ id: "p", type: "prompt", message: "go" })
        const asked = (source: string) =>
          Effect.promise(() =>
            host.until(
              (found) =>
                found["type"] === "approval_request" && JSON.stringify(found["tool"]).includes(`"source":"${source}"`)
            )
          )
        const written = yield* asked("builtin")
        assert.deepInclude(written, { toolCallId: "w", subagentId: "0-Fix" })
        assert.notStrictEqual(written["cwd"], repo)
        host.send({ id: "a", type: "approval_response", approvalId: written["approvalId"], decision: "allow_once" })
        const checked = yield* asked("verification")
        assert.deepInclude(checked, { subagentId: "0-Fix", args: { command: "touch checked" } })
        assert.notProperty(checked, "toolCallId")
        const begun = () => host.frames().filter(({ type }) => String(type).startsWith("subagent_verification_command"))
        assert.deepStrictEqual(begun(), [])
        host.send({
          id: "d",
          type: "approval_response",
          approvalId: checked["approvalId"],
          decision: "deny",
          message: "no"
        })
        const ended = yield* Effect.promise(() => host.until(frame("subagent_end")))
        assert.include(JSON.stringify(ended), '"exitCode":126')
        assert.include(JSON.stringify(ended), "Denied by user: no")
        assert.isFalse(existsSync(join(repo, "b.txt")))
        yield* Effect.promise(() => host.until(frame("session_settled")))
      }),
    60_000
  )
})
