/** What cannot be encoded is an error of its frame, and a writer that dies is no orderly end. */
import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Layer, Logger, Mailbox } from "effect"
import { text } from "../../src/domain/conversation/Content.ts"
import type { ToolOutput } from "../../src/domain/conversation/Message.ts"
import * as EmbeddedAgent from "../../src/layers/Embedded.ts"
import * as Server from "../../src/rpc/Server.ts"
import * as Outbox from "../../src/rpc/outbox/Outbox.ts"
import type { HostTool } from "../../src/services/host/HostTools.ts"
import { Transport } from "../../src/services/host/Transport.ts"
import * as Connections from "../support/Connections.ts"
import * as FirstSession from "../support/agent/FirstSession.ts"
import * as ScriptedModel from "../support/agent/ScriptedModel.ts"
import * as TestHost from "../support/host/TestHost.ts"

const circular = () => {
  const value: Record<string, unknown> = {}
  value["self"] = value
  return value
}
const throwing = {
  toJSON: () => {
    throw new Error("no JSON of me")
  }
}
const bad = { bigint: { n: 1n }, circular: circular(), throwing: { throwing } }

it.effect("a response becomes a failure with its id, a record keeps its place and its other members", () =>
  Effect.gen(function* () {
    let written = ""
    const input = yield* Mailbox.make<Uint8Array>()
    const write = (more: string) => Effect.sync(() => void (written += more))
    const { outbox, run } = yield* Outbox.make({ input, write, gather: Effect.void }, Connections.make("delta"))
    outbox.respond({ id: 7, type: "response", command: "get_state", success: true, data: bad.circular })
    outbox.offer({
      _tag: "ToolEnded",
      runId: "r",
      toolCallId: "c",
      toolName: "t",
      result: { content: [text("x")], details: bad.bigint },
      isError: false,
      durationMs: 3
    })
    outbox.record({ type: "note", ...bad.throwing })
    outbox.record({ type: "after" })
    yield* outbox.end
    yield* run
    const frames = written
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line))
    const [failure, ended, why, note, whyNote, after] = frames
    assert.deepInclude(failure, {
      id: 7,
      type: "response",
      command: "get_state",
      success: false,
      code: "encode_failed"
    })
    assert.deepInclude(ended, {
      type: "tool_execution_end",
      toolCallId: "c",
      result: { content: [text("x")], details: { n: "1" } },
      isError: false,
      durationMs: 3,
      seq: 1
    })
    assert.deepInclude(why, { type: "extension_error", extensionPath: "rpc", event: "encode", seq: 2 })
    assert.include(why.error, "tool_execution_end")
    assert.deepInclude(note, { type: "note", throwing: "[Error: no JSON of me]", seq: 3 })
    assert.deepInclude(whyNote, { type: "extension_error", seq: 4 })
    assert.deepInclude(after, { type: "after", seq: 5 })
    assert.strictEqual(frames.length, 6)
  })
)

const serve = (
  tools: ReadonlyArray<HostTool>,
  turns: ReadonlyArray<ScriptedModel.ScriptedTurn>,
  transport: Layer.Layer<Transport>
) =>
  Effect.gen(function* () {
    const script = yield* ScriptedModel.make(turns)
    const sessions = EmbeddedAgent.layerSessions({ cwd: "/", model: ScriptedModel.model, hostTools: tools })
    const graph = FirstSession.layer.pipe(Layer.provideMerge(sessions), Layer.provideMerge(script.layer))
    const options = {
      version: "0",
      updates: "delta",
      drain: false,
      uptime: Effect.succeed(0)
    } as const
    return yield* Effect.forkScoped(Effect.provide(Server.serve(options), Layer.merge(graph, transport)))
  })

const tool = (result: ToolOutput, progress: ToolOutput = result): HostTool => ({
  name: "look",
  description: "Looks.",
  parameters: { type: "object" },
  call: (_, context) => Effect.as(context.progress(progress), result)
})

for (const [name, details] of Object.entries(bad)) {
  it.scoped(`a tool of an embedder whose result cannot be encoded (${name}) has failed, and the run goes on`, () =>
    Effect.gen(function* () {
      const host = yield* TestHost.make
      const output = { content: [text("x")], details }
      yield* serve([tool(output)], [ScriptedModel.call(["c", "look", {}]), ScriptedModel.say("done")], host.layer)
      yield* host.send(JSON.stringify({ id: "p", type: "prompt", message: "go" }))
      const frames: Array<Record<string, unknown>> = []
      while (frames.at(-1)?.["type"] !== "session_settled") {
        for (const line of yield* host.receive(1)) frames.push(JSON.parse(line))
      }
      const of = (type: string) => frames.filter((frame) => frame["type"] === type)
      assert.deepInclude(of("prompt_result")[0], { status: "completed" })
      assert.deepInclude(of("tool_execution_end")[0], { isError: true })
      assert.match(JSON.stringify(of("tool_execution_end")[0]), /The result of look cannot be used: /)
      // Its progress was shown as far as it could be.
      assert.strictEqual(of("tool_execution_update").length, 1)
      assert.strictEqual(of("extension_error").length, 1)
    })
  )
}

it.scoped("a writer that dies ends the server with its defect", () =>
  Effect.gen(function* () {
    const input = yield* Mailbox.make<Uint8Array>()
    const transport = Layer.succeed(Transport, {
      input,
      write: () => Effect.dieMessage("broken writer"),
      gather: Effect.void
    })
    const exit = yield* Fiber.await(yield* serve([], [], transport))
    assert.isTrue(Exit.isFailure(exit) && Cause.isDie(exit.cause))
    assert.include(String(exit), "broken writer")
  }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))
)
