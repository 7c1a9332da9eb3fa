/** A provider that plays a list of turns and records what it was asked. A script that runs out fails the run. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import type { Model } from "../../domain/model/Model.ts"
import { type ModelEvent, ofCall, scripted } from "../../domain/model/ModelEvent.ts"
import { zeroTokens } from "../../domain/model/Usage.ts"
import { ModelCatalog } from "../../services/model/ModelCatalog.ts"
import { ModelClient, ModelFailure, type ModelRequest } from "../../services/model/ModelClient.ts"
import type { Provider } from "../providers/ProviderRegistry.ts"

export const model: Model = {
  id: "test-model",
  name: "Test",
  api: "scripted",
  provider: "scripted",
  baseUrl: "",
  reasoning: false,
  input: ["text"],
  cost: zeroTokens,
  contextWindow: 1000,
  maxTokens: 100
}

/** `hang` keeps the stream open after its events, until it is interrupted; `before` is what the model waits for. */
export interface ScriptedTurn {
  readonly before?: Effect.Effect<ReadonlyArray<ModelEvent>, ModelFailure>
  readonly events: ReadonlyArray<ModelEvent>
  readonly after?: "hang" | ModelFailure | Effect.Effect<void>
}

export const say = (text: string): ScriptedTurn => ({
  events: [
    { _tag: "TextStarted" },
    { _tag: "Delta", delta: text },
    { _tag: "BlockEnded" },
    { _tag: "Finished", stopReason: "stop" }
  ]
})

export const call = (...calls: ReadonlyArray<readonly [id: string, name: string, args: object]>): ScriptedTurn => ({
  events: [...calls.flatMap(([id, name, args]) => ofCall(id, name, args)), { _tag: "Finished", stopReason: "toolUse" }]
})

export const failure = (reason: ModelFailure["reason"], message: string) =>
  new ModelFailure({ reason, message, provider: model.provider, model: model.id })

const counted = (events: ReadonlyArray<ModelEvent>): ReadonlyArray<ModelEvent> =>
  events.length === 0 ? events : [scripted, ...events]

const finish = (box: Mailbox.Mailbox<ModelEvent, ModelFailure>, after: ScriptedTurn["after"]) => {
  if (after === undefined) return box.end
  if (after === "hang") return Effect.void
  return after instanceof ModelFailure ? box.fail(after) : Effect.zipRight(after, box.end)
}

const catalog = ModelCatalog.of({
  all: Effect.succeed([model]),
  available: Effect.succeed([model]),
  isAvailable: () => Effect.succeed(true),
  find: (provider, id) =>
    Effect.succeed(provider === model.provider && id === model.id ? Option.some(model) : Option.none())
})

/** The members of a script: each test makes its own. */
export interface Script {
  readonly client: typeof ModelClient.Service
  readonly catalog: typeof ModelCatalog.Service
  /** For `Heddle.layer`. */
  readonly provider: Provider
  /** For `EmbeddedAgent.layer` and the tiers below. */
  readonly layer: Layer.Layer<ModelClient | ModelCatalog>
  /** What the model was sent so far. */
  readonly requests: Effect.Effect<ReadonlyArray<ModelRequest>>
  /** How many model calls are not closed yet. */
  readonly open: Effect.Effect<number>
}

export const make = (turns: ReadonlyArray<ScriptedTurn>): Effect.Effect<Script> =>
  Effect.gen(function* () {
    const requests = yield* Ref.make<ReadonlyArray<ModelRequest>>([])
    const open = yield* Ref.make(0)
    const begin = (request: ModelRequest) =>
      Effect.gen(function* () {
        const n = (yield* Ref.updateAndGet(requests, (all) => [...all, request])).length
        const turn = turns[n - 1]
        if (turn === undefined) return yield* failure("configuration", `the script ran out at call ${n}`)
        yield* Effect.acquireRelease(
          Ref.update(open, (count) => count + 1),
          () => Ref.update(open, (count) => count - 1)
        )
        const box = yield* Mailbox.make<ModelEvent, ModelFailure>(1024)
        const first = turn.before ?? Effect.succeed([])
        yield* Effect.forkScoped(
          Effect.flatMap(first, (events) => box.offerAll(counted([...events, ...turn.events]))).pipe(
            Effect.zipRight(finish(box, turn.after)),
            Effect.catchAll((failed) => box.fail(failed))
          )
        )
        return box
      })
    const client = ModelClient.of({ stream: begin })
    const layer = Layer.merge(Layer.succeed(ModelClient, client), Layer.succeed(ModelCatalog, catalog))
    const provider: Provider = { id: model.provider, needsKey: false, models: [model], stream: begin }
    return { client, catalog, provider, layer, requests: Ref.get(requests), open: Ref.get(open) }
  })
