/** Approvals and the sandbox together, over the real pipes: what passes, what is refused, and what leaves the sandbox. */
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { tempFolder } from "../layers/tools/TempFolder.ts"
import * as Repos from "../support/git/Repos.ts"
import * as HostProcess from "../support/host/HostProcess.ts"
import { canHold } from "../support/sandbox/Confined.ts"

const { answer, type } = HostProcess

const call = (name: string, args: object) => ({ toolCall: { name, arguments: args } })
const commit = "git -c user.name=a -c user.email=a@b.example commit --allow-empty -m made"

const open = (cwd: string, home: string, args: ReadonlyArray<string>, steps: ReadonlyArray<object> = []) => {
  const file = join(home, "scenario.json")
  const turns = [...steps.map((step) => ({ steps: [step] })), { steps: [{ text: "done" }] }]
  writeFileSync(file, JSON.stringify({ turns }))
  return HostProcess.open({
    cwd,
    env: { HOME: home, HEDDLE_AGENT_DIR: join(home, "agent") },
    args: ["--model", "offline/script", "--set", `offline.scenario=${file}`, ...args]
  })
}

const places = Effect.all([Repos.withCommit({ "a.txt": "a\n" }), tempFolder])

/** What the calls have come to, in their order. */
const results = (host: HostProcess.HostProcess) =>
  host
    .frames()
    .filter((frame) => frame["type"] === "tool_execution_end")
    .map((frame) => {
      const { content, details } = Object(frame["result"])
      return { isError: frame["isError"], text: String(Object(content[0]).text), sandbox: Object(details).sandbox }
    })

const entries = (home: string) => {
  const sessions = join(home, "agent/sessions")
  return readdirSync(sessions, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readFileSync(join(sessions, name), "utf8").trim().split("\n"))
    .map((line) => Object(JSON.parse(line)))
    .filter(({ customType }) => customType === "heddle.approval")
    .map(({ data }) => data)
}

/** Several processes, one after the other. */
const patience = { timeout: 60_000 }

describe.skipIf(!canHold)("approvals with a sandbox", () => {
  it.scopedLive(
    "what it holds passes, what it refuses says so, and a command leaves it only by an answer",
    () =>
      Effect.gen(function* () {
        const [cwd, home] = yield* places
        const host = yield* open(
          cwd,
          home,
          ["--approvals", "auto"],
          [
            call("bash", { command: "echo in > in.txt" }),
            call("bash", { command: commit }),
            call("write", { path: "/usr/heddle-probe", content: "" }),
            call("bash", { command: commit, escalate: true }),
            call("bash", { command: commit, escalate: true }),
            call("bash", { command: commit, escalate: true })
          ]
        )
        yield* Effect.promise(async () => {
          const ready = await host.until(type("ready"))
          const { approvals, network, sandbox } = Object(ready["enforcement"])
          assert.deepStrictEqual(
            { approvals, network, sandbox },
            { approvals: "ask", network: "off", sandbox: "workspace-write" }
          )
          host.send({ id: "i", type: "initialize", capabilities: { approvals: true } })
          await host.until(answer("i"))
          host.send({ id: "p", type: "prompt", message: "go" })
          const over = new Set<unknown>()
          for (const decision of ["allow_session", "escalate", "allow_once", "deny"]) {
            const asked = await host.until(
              (frame) => frame["type"] === "approval_request" && !over.has(frame["approvalId"])
            )
            const approvalId = asked["approvalId"]
            if (decision !== "allow_session") over.add(approvalId)
            assert.deepStrictEqual(asked["choices"], ["escalate", "allow_once", "deny"])
            assert.strictEqual(asked["reason"], "escalate")
            assert.include(Object(asked["risk"]).codes, "unsandboxed")
            host.send({ id: decision, type: "approval_response", approvalId, decision })
            const taken = await host.until(answer(decision))
            if (decision === "allow_session") assert.strictEqual(taken["code"], "invalid_decision")
          }
          await host.until(type("prompt_result"))
        })
        const [written, refused, outside, escaped, inside, denied] = results(host)
        assert.deepStrictEqual([written?.isError, written?.sandbox.denied], [false, false])
        assert.deepStrictEqual([refused?.isError, refused?.sandbox.denied], [true, true])
        assert.match(refused?.text ?? "", /\.git is read-only.*escalate: true.*--sandbox off/)
        assert.deepStrictEqual([outside?.isError, outside?.sandbox.denied], [true, true])
        assert.deepStrictEqual([escaped?.isError, escaped?.sandbox], [false, undefined])
        assert.deepStrictEqual([inside?.isError, inside?.sandbox.denied], [true, true])
        assert.strictEqual(denied?.text, "Denied by user")
        assert.strictEqual(readFileSync(join(cwd, "in.txt"), "utf8"), "in\n")
        assert.isFalse(existsSync("/usr/heddle-probe"))
        const log = Bun.spawnSync(["git", "log", "--format=%s"], { cwd }).stdout.toString()
        assert.strictEqual(log.split("\n").filter((line) => line === "made").length, 1)
        const decisions = entries(home).map(({ by, decision }) => `${decision} ${by}`)
        assert.deepStrictEqual(decisions, ["escalate host", "allow_once host", "deny host"])
      }),
    patience
  )

  it.scopedLive(
    "leaving it is asked about whatever the mode and the rules are, and denied where nobody can answer",
    () =>
      Effect.gen(function* () {
        for (const [args, ends] of [
          [["--no-ui", "--sandbox", "workspace-write"], "Approval unavailable: no host can answer"],
          [["--no-ui", "--sandbox", "workspace-write", "--allow", "bash"], "Approval unavailable: no host can answer"],
          [["--approvals", "deny", "--sandbox", "workspace-write"], "Denied by policy: mode deny"],
          [["--sandbox", "workspace-write", "--deny", "bash(touch *)"], "Denied by policy: rule deny:bash(touch *)"]
        ] as const) {
          const [cwd, home] = yield* places
          const host = yield* open(cwd, home, args, [call("bash", { command: "touch out", escalate: true })])
          host.send({ id: "p", type: "prompt", message: "go" })
          yield* Effect.promise(() => host.until(type("prompt_result")))
          assert.deepStrictEqual(
            results(host).map(({ text }) => text),
            [ends]
          )
          assert.isFalse(existsSync(join(cwd, "out")))
        }
      }),
    patience
  )

  it.scopedLive(
    "the user's own command is asked about by a rule, and leaves the sandbox by an answer",
    () =>
      Effect.gen(function* () {
        const [cwd, home] = yield* places
        const host = yield* open(cwd, home, ["--approvals", "auto", "--ask", "bash(git *)"])
        yield* Effect.promise(async () => {
          host.send({ id: "i", type: "initialize", capabilities: { approvals: true } })
          for (const [id, decision] of [
            ["in", "allow_once"],
            ["out", "escalate"]
          ] as const) {
            host.send({ id, type: "bash", command: commit })
            const asked = await host.until((frame) => frame["type"] === "approval_request" && frame["requestId"] === id)
            host.send({ id: `${id}-answer`, type: "approval_response", approvalId: asked["approvalId"], decision })
            await host.until(answer(id))
          }
        })
        const ended = (id: string) =>
          Object(host.frames().find((frame) => frame["id"] === id && frame["type"] === "response")?.["data"])
        assert.strictEqual(ended("in").sandbox.denied, true)
        assert.deepStrictEqual([ended("out").exitCode, ended("out").sandbox], [0, undefined])
      }),
    patience
  )

  it.scopedLive(
    "a link that leads out of the working folder is asked about, though the sandbox would let it be read",
    () =>
      Effect.gen(function* () {
        const [cwd, home] = yield* places
        symlinkSync("/etc/hostname", join(cwd, "link"))
        const args = ["--no-ui", "--approvals", "ask", "--sandbox", "workspace-write"]
        const host = yield* open(cwd, home, args, [call("read", { path: "link" }), call("read", { path: "a.txt" })])
        host.send({ id: "p", type: "prompt", message: "go" })
        yield* Effect.promise(() => host.until(type("prompt_result")))
        assert.deepStrictEqual(
          results(host).map(({ isError }) => isError),
          [true, false]
        )
        assert.strictEqual(results(host)[0]?.text, "Approval unavailable: no host can answer")
      }),
    patience
  )

  it.scopedLive(
    "single options beside one word for several settings win",
    () =>
      Effect.gen(function* () {
        for (const [args, expected] of [
          [
            ["--approvals", "read-only"],
            ["ask", "read-only", "off"]
          ],
          [
            ["--approvals", "read-only", "--sandbox", "workspace-write"],
            ["ask", "workspace-write", "off"]
          ],
          [
            ["--approvals", "auto", "--network", "on"],
            ["ask", "workspace-write", "open"]
          ],
          [
            ["--approvals", "auto", "--sandbox", "off"],
            ["ask", "none", "open"]
          ],
          [
            ["--approvals", "auto", "--set", "approvals.mode=deny"],
            ["deny", "workspace-write", "off"]
          ],
          [
            ["--approvals", "full"],
            ["off", "none", "open"]
          ]
        ] as const) {
          const [cwd, home] = yield* places
          const host = yield* open(cwd, home, args)
          const { approvals, network, sandbox } = Object(
            (yield* Effect.promise(() => host.until(type("ready"))))["enforcement"]
          )
          assert.deepStrictEqual([approvals, sandbox, network], [...expected])
        }
      }),
    patience
  )
})
