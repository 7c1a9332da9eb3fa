/** What a real provider is sent for a summary, byte for byte: prompts/*.txt. `GOLDEN_WRITE=1` rewrites them. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Chunk, Effect, Layer, Schema } from "effect"
import * as SessionAgent from "../../../../../src/layers/session/core/SessionAgent.ts"
import * as BranchSummary from "../../../../../src/layers/session/modules/compaction/BranchSummary.ts"
import * as MemoryBudget from "../../../../../src/layers/session/modules/budget/MemoryBudget.ts"
import * as ProviderRegistry from "../../../../../src/layers/models/providers/ProviderRegistry.ts"
import * as CurrentSession from "../../../../../src/layers/session/core/CurrentSession.ts"
import * as StaticSettings from "../../../../../src/layers/workspace/settings/StaticSettings.ts"
import { Agent } from "../../../../../src/services/Agent.ts"
import { Budget } from "../../../../../src/services/session/modules/Budget.ts"
import { ModelClient } from "../../../../../src/services/model/ModelClient.ts"
import { Session } from "../../../../../src/services/session/Session.ts"
import { Settings } from "../../../../../src/services/Settings.ts"
import { SessionStore } from "../../../../../src/services/storage/SessionStore.ts"
import * as MemorySessionStore from "../../../../../src/layers/storage/sessions/MemorySessionStore.ts"
import * as HeadlessUi from "../../../../../src/layers/host/HeadlessUi.ts"
import { standard } from "../../../../../src/layers/session/standard.ts"
import * as ToolRegistry from "../../../../../src/layers/tools/ToolRegistry.ts"
import { output, tool } from "../../../../support/agent/AgentHarness.ts"
import * as FixedIds from "../../../../support/agent/FixedIds.ts"
import * as LoopbackModel from "../../../../support/LoopbackModel.ts"
import { chat, connection, model } from "../../../models/protocols/support.ts"

const chunk = (delta: object, finish: string | null) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

const says = (content: string) => LoopbackModel.sse(chunk({ content }, null), chunk({}, "stop"), "data: [DONE]\n\n")

const calls = (name: string, args: object) => {
  const call = { index: 0, id: `call_${name}`, type: "function", function: { name, arguments: JSON.stringify(args) } }
  return LoopbackModel.sse(chunk({ tool_calls: [call] }, null), chunk({}, "tool_calls"), "data: [DONE]\n\n")
}

const compare = (name: string, sent: string) => {
  const path = join(import.meta.dirname, "prompts", `${name}.txt`)
  if (process.env["GOLDEN_WRITE"] === "1") writeFileSync(path, `${sent}\n`)
  assert.strictEqual(`${sent}\n`, readFileSync(path, "utf8"))
}

const Body = Schema.Struct({
  messages: Schema.Array(
    Schema.Struct({
      role: Schema.String,
      content: Schema.Union(Schema.Null, Schema.String, Schema.Array(Schema.Struct({ text: Schema.String })))
    })
  ),
  tools: Schema.optional(Schema.Array(Schema.Unknown)),
  max_completion_tokens: Schema.optional(Schema.Number)
})
const decodeBody = Schema.decodeUnknownSync(Body)

/** System and user text, and what else is decided about the call. */
const rendered = ({ max_completion_tokens, messages, tools }: typeof Body.Type): string =>
  [
    `max tokens: ${max_completion_tokens}, tools: ${tools?.length ?? 0}`,
    ...messages.map(({ content, role }) => {
      const text =
        content === null || typeof content === "string" ? content : content.map((block) => block.text).join("")
      return `=== ${role}\n${text}`
    })
  ].join("\n")

const read = tool("read", () => Effect.succeed(output(`export const loom = 1 ${"// weft ".repeat(300)}`)))
const edit = tool("edit", () => Effect.succeed(output("Edited src/loom.ts")))

const provided = (baseUrl: string) => {
  const chosen = model({ api: "openai-completions", baseUrl, reasoning: false })
  const all = [read, edit]
  return SessionAgent.layer({ cwd: "/", plan: standard, model: chosen, scopedModels: [] }).pipe(
    Layer.provideMerge(
      ProviderRegistry.layerOwn([
        {
          id: chosen.provider,
          needsKey: false,
          models: [chosen],
          stream: (request) => chat.stream(request, connection())
        }
      ])
    ),
    Layer.provideMerge(ToolRegistry.layerOf(all)),
    Layer.provideMerge(StaticSettings.layer({ "compaction.keepRecentTokens": 30 })),
    Layer.provideMerge(MemoryBudget.layer({})),
    Layer.provide(HeadlessUi.layer),
    Layer.provideMerge(CurrentSession.layer),
    Layer.provide(CurrentSession.layerLog(Effect.orDie(Effect.flatMap(SessionStore, (store) => store.create({}))))),
    Layer.provideMerge(MemorySessionStore.layer({ cwd: "/" })),
    Layer.provideMerge(FixedIds.layer)
  )
}

const summary = "## Goal\nMend the loom.\n\n<read-files>\nstale.ts\n</read-files>"
const long = "The loom has a thread too many, which I have taken out; please look at the pattern once more. ".repeat(2)

it.scopedLive("the prompts of a compaction, of its update and of a branch that is left", () =>
  Effect.gen(function* () {
    const server = yield* LoopbackModel.make(
      calls("read", { path: "src/loom.ts", limit: 10 }),
      calls("edit", { path: "src/loom.ts" }),
      says("Mended."),
      says(long),
      says(summary),
      says(summary),
      says("I mended the loom."),
      says("Thanks."),
      says(long),
      says(summary)
    )
    const taken = (count: number) =>
      Effect.map(server.requests.takeN(count), ([requests]) =>
        Chunk.toReadonlyArray(requests).map(({ body }) => rendered(decodeBody(body)))
      )
    yield* Effect.gen(function* () {
      const agent = yield* Agent
      const session = yield* Session
      const ask = (text: string) => Effect.zipRight(agent.prompt({ text }), agent.awaitIdle)
      yield* ask("Mend src/loom.ts")
      yield* ask("Is there anything else?")
      yield* taken(4)
      const first = yield* agent.compact({ customInstructions: "keep the names of threads" })
      assert.deepStrictEqual(first.details, { readFiles: [], modifiedFiles: ["src/loom.ts"] })
      assert.strictEqual(first.summary.match(/<modified-files>/g)?.length, 1)
      assert.notInclude(first.summary, "stale.ts")
      assert.strictEqual(first.shortSummary, "I mended the loom.")
      const made = yield* taken(3)
      compare("history", made.find((prompt) => prompt.includes("## Goal") && !prompt.includes("<summary>")) ?? "")
      compare(
        "prefix",
        made.find((prompt) => prompt.includes("## Original Request") && !prompt.includes("<summary>")) ?? ""
      )
      compare("short", made.find((prompt) => prompt.includes("<summary>")) ?? "")
      const left = yield* session.branch
      yield* ask("Good.")
      yield* ask("Once more, then.")
      compare("continued", (yield* taken(2))[0] ?? "")
      yield* agent.compact({})
      compare("update", (yield* taken(3)).find((prompt) => prompt.includes("<previous-summary>")) ?? "")
      const tools = {
        client: yield* ModelClient,
        settings: yield* Settings,
        budget: yield* Effect.flatMap(Budget, ({ open }) => open(() => {})),
        session,
        publish: () => {},
        mayRetry: Effect.succeed(false),
        detach: () => {}
      }
      const request = { model: model({ api: "openai-completions", baseUrl: server.baseUrl }), from: left, to: [] }
      const branch = yield* BranchSummary.summarize(tools, request)
      assert.deepStrictEqual(branch?.details, { readFiles: [], modifiedFiles: ["src/loom.ts"] })
      compare("branch", (yield* taken(1))[0] ?? "")
      assert.isUndefined(yield* BranchSummary.summarize(tools, { ...request, to: left }))
    }).pipe(Effect.provide(provided(server.baseUrl)))
  })
)
