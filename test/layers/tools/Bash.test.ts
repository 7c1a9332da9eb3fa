import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { JsonObject } from "../../../src/domain/conversation/Content.ts"
import type { ToolOutput } from "../../../src/domain/conversation/Message.ts"
import * as Bash from "../../../src/layers/tools/Bash.ts"
import type { Shell, ShellRequest, ShellResult } from "../../../src/services/Shell.ts"
import { ShellFailure } from "../../../src/services/Shell.ts"
import * as AgentHarness from "../../support/agent/AgentHarness.ts"
import * as Processes from "../../support/host/Processes.ts"
import * as ScriptedModel from "../../support/agent/ScriptedModel.ts"
import * as Shells from "./shell/Shells.ts"
import { context } from "../../support/agent/ToolCall.ts"

const ended: ShellResult = {
  output: "",
  cancelled: false,
  timedOut: false,
  truncated: false,
  truncatedBy: null,
  lastLinePartial: false,
  totalLines: 0,
  totalBytes: 0,
  outputLines: 0,
  outputBytes: 0,
  maxLines: 2000,
  maxBytes: 51_200,
  durationMs: 5
}

const answering = (run: (request: ShellRequest) => Effect.Effect<ShellResult, ShellFailure>): typeof Shell.Service => ({
  run,
  runForUser: run,
  cancelUser: Effect.void,
  isUserRunning: Effect.succeed(false),
  close: Effect.void,
  endBackground: () => Effect.void
})

/** What the tool makes of a result: its text, its details, and whether it is an error. */
const render = (result: Partial<ShellResult>, args: JsonObject = {}) =>
  Bash.make({ cwd: "/", shell: answering(() => Effect.succeed({ ...ended, ...result })) })
    .run({ command: "x", ...args }, context)
    .pipe(
      Effect.match({
        onFailure: ({ details, message }) => [message, details, "error"] as const,
        onSuccess: ({ content, details }) =>
          [content.map((block) => (block.type === "text" ? block.text : "")).join(""), details, "ok"] as const
      })
    )

const cut = {
  truncated: true,
  truncatedBy: "lines",
  totalLines: 3000,
  totalBytes: 9000,
  outputLines: 2000,
  outputBytes: 6000
} as const
const truncation = { ...cut, lastLinePartial: false, firstLineExceedsLimit: false, maxLines: 2000, maxBytes: 51_200 }
const file = { fullOutputPath: "/a/1.bash.log", artifactId: "1" }

const texts: ReadonlyArray<readonly [Partial<ShellResult>, string, JsonObject, "ok" | "error"]> = [
  [{ exitCode: 0, output: "hi\n" }, "hi\n", { exitCode: 0, durationMs: 5 }, "ok"],
  [{ exitCode: 0 }, "(no output)", { exitCode: 0, durationMs: 5 }, "ok"],
  [{ exitCode: 2, output: "bad\n\n" }, "bad\n\nCommand exited with code 2", { exitCode: 2, durationMs: 5 }, "error"],
  [{ exitCode: 1 }, "Command exited with code 1", { exitCode: 1, durationMs: 5 }, "error"],
  [
    { timedOut: true, output: "a" },
    "a\n\nCommand timed out after 7 seconds",
    { durationMs: 5, timedOut: true },
    "error"
  ],
  [{ cancelled: true, output: "a" }, "a\n\nCommand aborted", { durationMs: 5, aborted: true }, "error"],
  [
    { exitCode: 0, output: "end\n", ...cut, ...file },
    "end\n\n[Showing lines 1001-3000 of 3000. Full output: /a/1.bash.log]",
    { exitCode: 0, durationMs: 5, truncation, ...file },
    "ok"
  ],
  [
    { exitCode: 9, output: "end\n", ...cut, artifactError: "disk full" },
    "end\n\n[Showing lines 1001-3000 of 3000. The full output could not be kept: disk full]\n\nCommand exited with code 9",
    { exitCode: 9, durationMs: 5, truncation },
    "error"
  ],
  [
    { exitCode: 0, output: "xx", ...cut, ...file, totalLines: 4, outputLines: 1, lastLinePartial: true },
    "xx\n\n[Showing the end of line 4. Full output: /a/1.bash.log]",
    {
      exitCode: 0,
      durationMs: 5,
      truncation: { ...truncation, totalLines: 4, outputLines: 1, lastLinePartial: true },
      ...file
    },
    "ok"
  ]
]

it.effect.each(texts)("%j", ([result, text, details, how]) =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* render(result, { timeout: 7 }), [text, details, how])
  })
)

it.effect("asks the shell for what the arguments say, times within their bounds", () =>
  Effect.gen(function* () {
    const asked: Array<unknown> = []
    const shell = answering(({ command, cwd, env, timeoutMs }) =>
      Effect.sync(() => {
        asked.push([command, cwd, env, timeoutMs])
        return { ...ended, exitCode: 0 }
      })
    )
    const tool = Bash.make({ cwd: "/work", shell })
    yield* Effect.forEach(
      [{}, { timeout: 0.2 }, { timeout: 86_400 }, { timeout: 60, cwd: "sub/../dir", env: { A: "b" } }],
      (args) => tool.run({ command: "x", ...args }, context)
    )
    assert.deepStrictEqual(asked, [
      ["x", "/work", undefined, 300_000],
      ["x", "/work", undefined, 1000],
      ["x", "/work", undefined, 3_600_000],
      ["x", "/work/dir", { A: "b" }, 60_000]
    ])
    const failures = yield* Effect.forEach([{}, { command: "", timeout: -1, env: { "a b": "" } }], (args) =>
      Effect.map(Effect.flip(tool.run(args, context)), ({ message }) => message)
    )
    assert.deepStrictEqual(failures, [
      "Invalid arguments for bash: command: is missing",
      'Invalid arguments for bash: command: Expected a non empty string, actual ""; timeout: Expected a positive number, actual -1; env: Expected names of variables, actual "a b"'
    ])
    const missing = answering(() => new ShellFailure({ reason: "not_started", message: "Shell not found: bash" }))
    const { message } = yield* Effect.flip(Bash.make({ cwd: "/", shell: missing }).run({ command: "x" }, context))
    assert.strictEqual(message, "Shell not found: bash")
  })
)

it.scopedLive("an abort of the run ends the command; its result keeps the output so far", () =>
  Effect.gen(function* () {
    const { cwd, env, shell, tag } = yield* Shells.make
    const command = "echo one; echo two; (setsid sleep 30 &); sleep 30"
    const ran = yield* AgentHarness.run(
      { turns: [ScriptedModel.call(["c1", "bash", { command, env }])], tools: [Bash.make({ cwd, shell })] },
      Effect.fnUntraced(function* ({ agent, events }) {
        yield* agent.prompt({ text: "go" })
        yield* Processes.until(
          () => events.find((event) => event._tag === "ToolUpdated"),
          (event) => event !== undefined
        )
        yield* agent.abort()
        assert.deepStrictEqual(Processes.holding(tag), [])
        return events.flatMap((event) => (event._tag === "ToolEnded" ? [event] : []))
      })
    )
    assert.deepStrictEqual(
      ran.map(({ isError, result }): readonly [ToolOutput["content"], unknown, boolean] => [
        result.content,
        { ...result.details, durationMs: 0 },
        isError
      ]),
      [[[{ type: "text", text: "one\ntwo\n\nCommand aborted" }], { durationMs: 0, aborted: true }, true]]
    )
  })
)

it.scopedLive("eight commands run side by side", () =>
  Effect.gen(function* () {
    const { cwd, shell } = yield* Shells.make
    const tool = Bash.make({ cwd, shell })
    // Each waits for all the others, so they end only if none of them waits for another.
    const meet = "touch $NAME; until [ $(ls | wc -l) = 8 ]; do sleep 0.01; done; echo met"
    const fibers = yield* Effect.forEach(
      Array.from({ length: 8 }, (_, i) => `f${i}`),
      (NAME) => Effect.fork(tool.run({ command: meet, env: { NAME }, timeout: 10 }, context))
    )
    const outputs = yield* Effect.forEach(fibers, Fiber.join)
    assert.isTrue(outputs.every(({ content }) => content[0]?.type === "text" && content[0].text === "met\n"))
  })
)
