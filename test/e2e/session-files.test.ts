/** Sessions of the real command over real pipes: kept, resumed, shared, lost and refused. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as HostProcess from "../support/host/HostProcess.ts"
import { ask, close, lines, place, prompt, sessions } from "../support/host/SessionHost.ts"
import { forPeople, makeHome } from "./command.ts"

const { answer, type, types } = HostProcess

const filesIn = (folder: string) =>
  existsSync(join(folder, "sessions"))
    ? readdirSync(join(folder, "sessions"), { recursive: true }).filter((name) => String(name).includes("."))
    : []

sessions("the full output of a bash command is kept beside the session's file", async (open) => {
  const host = await open([])
  await prompt(host, "p")
  const { sessionFile } = await ask(host, "s", "get_state")
  host.send({ id: "b", type: "bash", command: "seq 3000" })
  const answered = JSON.parse(JSON.stringify((await host.until(answer("b")))["data"]))
  assert.strictEqual(answered.fullOutputPath, join(sessionFile.replace(/\.jsonl$/, ""), "1.bash.log"))
  assert.strictEqual(readFileSync(answered.fullOutputPath, "utf8").split("\n").length, 3001)
  await close(host)
})

sessions(
  "a prompt is on disk when it is acknowledged, also if the process dies at that moment",
  async (open, folder) => {
    const host = await open([])
    const { sessionFile } = await ask(host, "s", "get_state")
    assert.deepStrictEqual(filesIn(folder), [])
    host.send({ id: "p", type: "prompt", message: "PRECIOUS" })
    await host.until(answer("p"))
    host.child.kill("SIGKILL")
    await host.exited
    assert.include(JSON.stringify(lines(sessionFile)[1]), "PRECIOUS")
  }
)

sessions(
  "-c goes on with the last session of the folder, -r with the one that is named, with its model",
  async (open) => {
    const first = await open(["-n", "weaving"])
    await prompt(first, "one")
    const { sessionFile, sessionId } = await ask(first, "s", "get_state")
    assert.deepStrictEqual(await close(first), { code: 0, signal: null })

    const again = await open(["-c", "--model", "offline/script", "--thinking", "low"])
    const state = await ask(again, "s", "get_state")
    assert.deepStrictEqual([state.sessionId, state.sessionFile, state.messageCount], [sessionId, sessionFile, 2])
    again.send({ id: "t", type: "set_thinking_level", level: "high" })
    await again.until(answer("t"))
    await prompt(again, "two")
    await close(again)

    const third = await open(["--resume", sessionId.slice(0, 30), "--provider", "offline", "--model", "guide"])
    assert.strictEqual((await ask(third, "m", "get_messages")).messages.length, 4)
    await close(third)
    const kinds = lines(sessionFile).map((line) => line["type"])
    assert.deepStrictEqual(kinds, [
      "session",
      "session_info",
      "message",
      "custom",
      "message",
      "thinking_level_change",
      "message",
      "message"
    ])
  }
)

it.scopedLive("a resumed session has its model and thinking level back", () =>
  Effect.gen(function* () {
    const folder = yield* place
    const env = { HEDDLE_AGENT_DIR: folder }
    const file = join(folder, "x.jsonl")
    const at = { timestamp: "2026-01-01T00:00:00.000Z" }
    const entries = [
      { type: "session", version: 3, id: "s", cwd: "/elsewhere", ...at },
      { type: "model_change", id: "a", parentId: null, ...at, provider: "offline", modelId: "script" },
      { type: "thinking_level_change", id: "b", parentId: "a", ...at, thinkingLevel: "low" }
    ]
    writeFileSync(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""))
    const host = yield* HostProcess.open({ args: ["--offline", "--session", file], env })
    const { model, thinkingLevel } = yield* Effect.promise(() => ask(host, "s", "get_state"))
    assert.deepStrictEqual([model.id, thinkingLevel], ["script", model.reasoning === true ? "low" : "off"])
  })
)

sessions(
  "a call that was running when the process died has a result, and the conversation goes on",
  async (open, folder) => {
    const script = join(folder, "scenario.json")
    const turns = [
      { steps: [{ toolCall: { name: "bash", arguments: { command: "sleep 30" } } }] },
      { steps: [{ text: "went on" }] }
    ]
    writeFileSync(script, JSON.stringify({ turns, atEnd: "repeat" }))
    const host = await open(["--set", `offline.scenario=${script}`])
    const { sessionFile } = await ask(host, "s", "get_state")
    host.send({ id: "p", type: "prompt", message: "go" })
    await host.until(type("tool_execution_start"))
    host.child.kill("SIGKILL")
    await host.exited

    const again = await open(["--session", sessionFile])
    const { messages } = await ask(again, "m", "get_messages")
    assert.match(
      messages[2].content[0].text,
      /^Tool execution was interrupted \(session recovery\)\. Its effects are unknown\.$/
    )
    await prompt(again, "next")
    await close(again)
    const roles = lines(sessionFile).map((line) => JSON.parse(JSON.stringify(line["message"] ?? {})).role)
    assert.deepStrictEqual(roles, [undefined, "user", undefined, "assistant", "toolResult", "user", "assistant"])
  }
)

sessions("a second process on the same file is refused and told who has it", async (open) => {
  const first = await open([])
  await prompt(first, "one")
  const { sessionFile } = await ask(first, "s", "get_state")
  const second = await open(["--session", sessionFile])
  assert.deepStrictEqual(await second.exited, { code: 1, signal: null })
  assert.deepStrictEqual(second.lines, [])
  assert.match(second.stderr(), /Session is in use by another process \(pid \d+ on .* since .*Z\)/)
  assert.include(second.stderr(), '"code":"STARTUP_ERROR"')
  await prompt(first, "two")
  await close(first)
  const third = await open(["--session", sessionFile])
  assert.strictEqual((await ask(third, "s", "get_state")).messageCount, 4)
})

sessions("--fork copies into a file of its own, --no-session writes nothing", async (open, folder) => {
  const first = await open(["--session-dir", join(folder, "sessions/flat")])
  await prompt(first, "one")
  const { sessionFile } = await ask(first, "s", "get_state")
  await close(first)
  const before = readFileSync(sessionFile, "utf8")
  const fork = await open(["--fork", sessionFile, "--session-dir", join(folder, "sessions/flat")])
  const copy = (await ask(fork, "s", "get_state")).sessionFile
  await prompt(fork, "two")
  await close(fork)
  assert.strictEqual(readFileSync(sessionFile, "utf8"), before)
  assert.strictEqual(lines(copy)[0]?.["parentSession"], sessionFile)
  assert.deepStrictEqual(lines(copy).slice(1, 4), lines(sessionFile).slice(1))
  const none = await open(["--no-session"])
  await prompt(none, "three")
  assert.notProperty(await ask(none, "s", "get_state"), "sessionFile")
  assert.strictEqual(filesIn(folder).length, 2)
})

sessions(
  "a place that cannot be written is announced before the prompt is answered; the run goes on; exit 1",
  async (open) => {
    const host = await open(["--session-dir", "/proc/heddle"])
    await prompt(host, "one")
    await prompt(host, "two")
    const order = types(host).filter(
      (name) => name === "extension_error" || name === "notice" || name === "agent_start"
    )
    assert.deepStrictEqual(order, ["extension_error", "notice", "agent_start", "agent_start"])
    assert.propertyVal(await host.until(type("extension_error")), "event", "persist")
    assert.propertyVal(await host.until(type("notice")), "source", "session-persistence")
    assert.strictEqual((await ask(host, "m", "get_messages")).messages.length, 4)
    assert.deepStrictEqual(await close(host), { code: 1, signal: null })
  }
)

const small = mkdtempSync(join(tmpdir(), "heddle-small-"))
const canMount = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", small]).status === 0
if (canMount) spawnSync("umount", [small])
rmSync(small, { recursive: true })

describe.skipIf(!canMount)("a disk that is full", () => {
  sessions("keeps what was acknowledged before, whole", async (open, folder) => {
    const disk = join(folder, "disk")
    mkdirSync(disk)
    spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", disk])
    try {
      const host = await open(["--session", join(disk, "x.jsonl")])
      for (const id of ["1", "2", "3", "4", "5"]) await prompt(host, id, id.repeat(20_000))
      const failed = types(host).indexOf("extension_error")
      const acknowledged = types(host)
        .slice(0, failed)
        .filter((name) => name === "message_end").length
      assert.isAbove(acknowledged, 2)
      assert.deepStrictEqual(await close(host), { code: 1, signal: null })
      const kept = lines(join(disk, "x.jsonl")).filter((line) => line["type"] === "message")
      assert.strictEqual(kept.length, acknowledged)
    } finally {
      spawnSync("umount", [disk])
    }
  })
})

describe("what cannot be begun", () => {
  const rows: Record<string, readonly [ReadonlyArray<string>, string, string]> = {
    "an id nobody has": [["--session", "nope"], "Error: Session file not found: nope", "INVALID_ARG"],
    "a file that is no session": [["--session", "text.jsonl"], "Error: Not a session file: text.jsonl", "INVALID_ARG"],
    "a session of tomorrow": [
      ["--fork", "./new.jsonl"],
      "Error: Session version 7 is newer than supported: ./new.jsonl",
      "INVALID_ARG"
    ],
    "nobody to pick": [
      ["--resume"],
      "Error: --resume needs the beginning of a session's id: in rpc mode nobody can pick",
      "INVALID_ARG"
    ],
    "two sessions at once": [
      ["-c", "--session", "x"],
      "Error: --session and --continue name different sessions",
      "INVALID_ARG"
    ],
    "a copy of nothing": [
      ["--fork", "x", "--no-session"],
      "Error: --fork cannot be combined with --no-session: there is nothing to open",
      "INVALID_ARG"
    ],
    "a name that nobody can see": [
      ["--name", " \u001b[31m\u0007"],
      "Error: --name needs a name that can be seen",
      "INVALID_ARG"
    ],
    "an id that is no name": [
      ["--session-id", "../x"],
      'Error: --session-id: letters, digits, ".", "_" and "-" only; got "../x"',
      "INVALID_ARG"
    ]
  }
  for (const [name, [args, said, code]] of Object.entries(rows)) {
    it(name, async () => {
      const home = makeHome()
      try {
        writeFileSync(join(home.agentDir, "../text.jsonl"), "hello\n")
        writeFileSync(join(home.agentDir, "../new.jsonl"), '{"type":"session","version":7,"id":"x"}\n')
        const result = await home.run(["--mode", "rpc", ...args])
        assert.deepStrictEqual([result.code, result.out, forPeople(result)], [1, "", said])
        assert.include(result.err, `"code":"${code}"`)
      } finally {
        home.remove()
      }
    })
  }
})

sessions("a message that was sent before a crash is known by its id afterwards", async (open) => {
  const message = { type: "prompt", message: "once", clientMessageId: "c-1" }
  const first = await open([])
  first.send({ id: "p", ...message })
  const { data } = await first.until(answer("p"))
  await first.until(type("agent_end"))
  first.child.kill("SIGKILL")
  await first.exited
  const second = await open(["--continue"])
  second.send({ id: "q", ...message }, { id: "r", ...message, message: "other" })
  const again = await second.until(answer("q"))
  const { messageId } = JSON.parse(JSON.stringify(data))
  assert.deepInclude(JSON.parse(JSON.stringify(again["data"])), { messageId, duplicate: true })
  assert.strictEqual((await second.until(answer("r")))["code"], "client_message_conflict")
  const result = await second.until((frame) => frame["type"] === "prompt_result" && frame["id"] === "q")
  assert.strictEqual(result["status"], "completed")
  assert.notInclude(types(second), "agent_start")
  await close(second)
})
