/** An agent whose conversation can be compacted: a scripted model, settings, hooks, and the session behind it. */
import { Effect, Layer, Option } from "effect"
import type { AgentEvent } from "../../src/domain/AgentEvent.ts"
import type { ModelEvent } from "../../src/domain/ModelEvent.ts"
import { zeroTokens } from "../../src/domain/Usage.ts"
import * as SessionAgent from "../../src/layers/agent/SessionAgent.ts"
import * as MemoryBudget from "../../src/layers/budget/MemoryBudget.ts"
import * as CurrentSession from "../../src/layers/session/CurrentSession.ts"
import * as StaticSettings from "../../src/layers/settings/StaticSettings.ts"
import { Agent } from "../../src/services/Agent.ts"
import { CompactionHooks } from "../../src/services/Compaction.ts"
import { Session } from "../../src/services/Session.ts"
import type { SettingsValues } from "../../src/services/Settings.ts"
import { Tools } from "../../src/services/Tools.ts"
import * as AgentHarness from "./AgentHarness.ts"
import * as FixedIds from "./FixedIds.ts"
import * as ScriptedModel from "./ScriptedModel.ts"

export interface Options extends AgentHarness.HarnessOptions {
  readonly settings?: Partial<SettingsValues>
  readonly hooks?: Partial<typeof CompactionHooks.Service>
}

/** Keeps five tokens: a short message. The window of the scripted model has 1000. */
const settings: Partial<SettingsValues> = { "compaction.keepRecentTokens": 5, "retry.enabled": false }

export const run = <A, E, R>(
  options: Options,
  body: (harness: {
    readonly agent: typeof Agent.Service
    readonly session: typeof Session.Service
    readonly script: Effect.Effect.Success<ReturnType<typeof ScriptedModel.make>>
    readonly events: ReadonlyArray<AgentEvent>
    /** How often the session was asked to survive a power cut, and how many entries it had then. */
    readonly synced: ReadonlyArray<number>
    /** Sends a prompt and waits for the end of its run. */
    readonly ask: (text: string) => Effect.Effect<void>
  }) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const script = yield* ScriptedModel.make(options.turns)
    const all = options.tools ?? []
    const tools = Layer.succeed(Tools, {
      active: Effect.succeed(all),
      forget: Effect.void,
      find: (name) => Effect.succeed(Option.fromNullable(all.find(({ definition }) => definition.name === name)))
    })
    const silent = { before: () => Effect.succeed({ _tag: "Proceed" } as const), after: () => Effect.void }
    const synced: Array<number> = []
    const watched = Layer.effect(
      Session,
      Effect.map(Session, (session) => ({
        ...session,
        sync: Effect.zipRight(
          Effect.map(session.entries, ({ length }) => synced.push(length)),
          session.sync
        )
      }))
    )
    const layer = SessionAgent.layer({ cwd: "/", model: ScriptedModel.model, scopedModels: [] }).pipe(
      Layer.provide([tools, script.layer, MemoryBudget.layer(options.budget ?? {})]),
      Layer.provide(StaticSettings.layer({ ...settings, ...options.settings })),
      Layer.provide(Layer.succeed(CompactionHooks, { ...silent, ...options.hooks })),
      Layer.provideMerge(watched),
      Layer.provide(CurrentSession.layerMemory({ cwd: "/" })),
      Layer.provide(FixedIds.layer)
    )
    return yield* Effect.gen(function* () {
      const agent = yield* Agent
      const session = yield* Session
      const events: Array<AgentEvent> = []
      yield* agent.attach({ offer: (event) => events.push(event), ready: Effect.void })
      const ask = (text: string) => Effect.orDie(Effect.zipRight(agent.prompt({ text }), agent.awaitIdle))
      return yield* body({ agent, session, script, events, ask, synced })
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

/** The answer with a count of the tokens that it took. */
export const counted = (turn: ScriptedModel.ScriptedTurn, input: number, output = 1): ScriptedModel.ScriptedTurn => {
  const usage: ModelEvent = { _tag: "UsageReported", tokens: { ...zeroTokens, input, output } }
  return { ...turn, events: [usage, ...turn.events] }
}

/** Compactions as short words: `threshold`, then `threshold done` or what else became of it. */
export const compactions = (events: ReadonlyArray<AgentEvent>): ReadonlyArray<string> =>
  events.flatMap((event) => {
    if (event._tag === "CompactionStarted") return [event.reason]
    if (event._tag !== "CompactionEnded") return []
    const { aborted, errorMessage, reason, result, skipped, willRetry } = event
    if (result !== undefined) return [`${reason} done${willRetry ? ", again" : ""}`]
    return [`${reason} ${aborted ? "aborted" : skipped === true ? "skipped" : errorMessage}`]
  })

/** What a model was asked, without the system prompt. */
export const asked = (request: { readonly messages: ReadonlyArray<{ readonly content: unknown }> } | undefined) =>
  JSON.stringify(request?.messages.map(({ content }) => content) ?? [])
