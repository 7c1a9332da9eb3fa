/** An agent whose conversation can be compacted: a scripted model, settings, hooks, and the session behind it. */
import { Context, Effect, Fiber, Layer } from "effect"
import type { AgentEvent } from "../../../src/domain/conversation/AgentEvent.ts"
import type { ModelEvent } from "../../../src/domain/model/ModelEvent.ts"
import { zeroTokens } from "../../../src/domain/model/Usage.ts"
import * as MemorySessionStore from "../../../src/layers/session/MemorySessionStore.ts"
import type { Ids } from "../../../src/services/Ids.ts"
import { type SessionLog, SessionStore } from "../../../src/services/session/SessionStore.ts"
import type { SettingsValues } from "../../../src/services/Settings.ts"
import type * as AgentHarness from "./AgentHarness.ts"
import * as ScriptedModel from "./ScriptedModel.ts"
import * as TestAgent from "./TestAgent.ts"

export interface Options extends AgentHarness.HarnessOptions, Pick<TestAgent.AgentParts, "hooks" | "store"> {}

interface Harness extends TestAgent.TestAgent {
  /** How often the session was asked to survive a power cut, and how many entries it had then. */
  readonly synced: ReadonlyArray<number>
  /** Sends a prompt and waits for the end of its run. */
  readonly ask: (text: string) => Effect.Effect<void>
}

/** Keeps five tokens: a short message. The window of the scripted model has 1000. */
const settings: Partial<SettingsValues> = { "compaction.keepRecentTokens": 5, "retry.enabled": false }

/** Notes how many entries a log had whenever it was synced. */
const countSyncs = (store: Layer.Layer<SessionStore, never, Ids>, synced: Array<number>) =>
  Layer.map(store, (context) => {
    const service = Context.get(context, SessionStore)
    const watch = (log: SessionLog): SessionLog => {
      let count = log.entries.length
      return {
        ...log,
        append: (entries) => {
          count += entries.length
          return log.append(entries)
        },
        sync: Effect.zipRight(
          Effect.sync(() => void synced.push(count)),
          log.sync
        )
      }
    }
    return Context.make(SessionStore, { ...service, create: (given) => Effect.map(service.create(given), watch) })
  })

export const run = <A, E, R>(options: Options, body: (harness: Harness) => Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const synced: Array<number> = []
    const { hooks, store = MemorySessionStore.layer({ cwd: "/" }) } = options
    const parts = { ...(hooks === undefined ? {} : { hooks }), store: countSyncs(store, synced) }
    const made = TestAgent.make({ ...options, settings: { ...settings, ...options.settings } }, parts)
    return Effect.flatMap(made, (made) => {
      const { agent } = made
      const ask = (text: string) => Effect.orDie(Effect.zipRight(agent.prompt({ text }), agent.awaitIdle))
      return body({ ...made, ask, synced })
    })
  }).pipe(Effect.scoped)

/** Summaries without a model: what is left of the script are the turns of the run. */
export const supplied = { compacting: () => Effect.succeed({ _tag: "Supply", compaction: { summary: "S" } } as const) }

/** Worth a summary. */
export const story = ScriptedModel.say("A long story about a loom, told at length and with many details.")

/** The end of a run that went well, in the words of `summary`. */
export const ending = [
  "MessageEnded:assistant/stop",
  "TurnEnded",
  "RunEnded",
  "PromptFinished:completed",
  "RunSettled",
  "SessionSettled"
] as const

/** Asks, aborts when the agent has told of `at` things, and waits for both. False where it had told of fewer. */
export const abortAt = Effect.fnUntraced(function* ({ agent, ask }: Harness, text: string, at: number) {
  let [count, acting]: [number, Fiber.RuntimeFiber<unknown> | undefined] = [0, undefined]
  const point = () => {
    if (count++ === at) acting = Effect.runFork(agent.abort())
  }
  yield* agent.events.attach({ offer: () => queueMicrotask(point), ready: Effect.void })
  yield* ask(text)
  const aborting: Fiber.RuntimeFiber<unknown> | undefined = acting
  if (aborting !== undefined) yield* Fiber.join(aborting)
  return aborting !== undefined
})

/** The answer with a count of the tokens that it took. */
export const withUsage = (turn: ScriptedModel.ScriptedTurn, input: number, output = 1): ScriptedModel.ScriptedTurn => {
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
