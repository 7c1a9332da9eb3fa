/** The values that a host can change in a session: model, thinking level, queue modes. None is written to a file. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { AgentEvent } from "../../../../domain/conversation/AgentEvent.ts"
import {
  clampLevel,
  defaultLevel,
  label,
  type Model,
  supportedLevels,
  type ThinkingLevel
} from "../../../../domain/model/Model.ts"
import type { ModelName, SessionSettings } from "../../../../domain/session/SessionSettings.ts"
import { defined } from "../../../../domain/Values.ts"
import { ModelCatalog } from "../../../../services/model/ModelCatalog.ts"
import { MissingCredentials, ModelNotFound } from "../../../../services/Rejections.ts"
import { Controls, type ControlValues, type ModelCycle } from "../../../../services/session/modules/Controls.ts"
import type { Session } from "../../../../services/session/Session.ts"
import { SessionCore } from "../../../../services/session/SessionCore.ts"
import * as SessionModule from "../../../../services/session/SessionModule.ts"
import type { ModelOptions, ModelStart } from "../../../../services/session/SessionOptions.ts"
import { type InterruptMode, type QueueMode, Settings, type SettingsValues } from "../../../../services/Settings.ts"
import * as ModelSelection from "./ModelSelection.ts"

interface Dependencies {
  readonly settings: SettingsValues
  readonly catalog: typeof ModelCatalog.Service
  readonly session: typeof Session.Service
  readonly publish: (event: AgentEvent) => void
}

/** The model that a session was left with, if it can still be used. */
const makeFind = (catalog: typeof ModelCatalog.Service) =>
  Effect.fnUntraced(function* ({ modelId, provider }: ModelName) {
    const found = yield* catalog.find(provider, modelId)
    if (Option.isSome(found) && (yield* catalog.isAvailable(found.value))) return found.value
    yield* Effect.logWarning(`the model of this session cannot be used: ${provider}/${modelId}`)
    return undefined
  })

const makeModes = (set: (change: Partial<ControlValues>) => Effect.Effect<void>) => ({
  setSteeringMode: (steeringMode: QueueMode) => set({ steeringMode }),
  setFollowUpMode: (followUpMode: QueueMode) => set({ followUpMode }),
  setInterruptMode: (interruptMode: InterruptMode) => set({ interruptMode })
})

const make = (dependencies: Dependencies, options: ModelOptions): typeof Controls.Service => {
  const { catalog, publish, settings, session } = dependencies
  const choose = ({ model, thinkingLevel = settings.defaultThinkingLevel ?? defaultLevel }: ModelStart) => ({
    ...defined({ model }),
    thinkingLevel: clampLevel(model, thinkingLevel),
    wantedLevel: thinkingLevel
  })
  let now: ControlValues = {
    ...choose(options),
    steeringMode: settings.steeringMode,
    followUpMode: settings.followUpMode,
    interruptMode: settings.interruptMode
  }

  /** Applies a level as far as the model has it. */
  const apply = (level: ThinkingLevel): ThinkingLevel => {
    const before = now.thinkingLevel
    const thinkingLevel = clampLevel(now.model, level)
    now = { ...now, thinkingLevel }
    if (thinkingLevel !== before) publish({ _tag: "ThinkingLevelChanged", level: thinkingLevel })
    return thinkingLevel
  }

  /** Stores what was asked for, so that a session that is resumed has it, too. */
  const setThinkingLevel = Effect.fn("Agent.setThinkingLevel")(function* (level: ThinkingLevel) {
    const isNew = level !== now.wantedLevel || clampLevel(now.model, level) !== now.thinkingLevel
    now = { ...now, wantedLevel: level }
    if (isNew) yield* session.append({ type: "thinking_level_change", thinkingLevel: level })
    return apply(level)
  })

  const use = Effect.fnUntraced(function* (next: Model, level = now.wantedLevel) {
    const before = now
    now = { ...now, model: next }
    if (before.model === undefined || label(before.model) !== label(next)) {
      yield* session.append({ type: "model_change", provider: next.provider, modelId: next.id })
      publish({ _tag: "ModelChanged", model: next })
    }
    return apply(level)
  })

  const setModel = Effect.fn("Agent.setModel")(function* (provider: string, modelId: string) {
    const found = yield* catalog.find(provider, modelId)
    if (found._tag === "None") return yield* new ModelNotFound({ provider, modelId })
    if (!(yield* catalog.isAvailable(found.value))) {
      return yield* new MissingCredentials({ provider, modelId })
    }
    yield* use(found.value)
    return found.value
  })

  const cycleModel = Effect.gen(function* () {
    const available = yield* catalog.available
    const scoped = ModelSelection.scope(available, options.scopedModels)
    const isScoped = scoped.length > 0
    const next = ModelSelection.next(isScoped ? scoped : available.map((model) => ({ model })), now.model)
    if (next === undefined) return null
    const thinkingLevel = yield* use(next.model, next.thinkingLevel)
    const cycled: ModelCycle = { model: next.model, thinkingLevel, isScoped }
    return cycled
  }).pipe(Effect.withSpan("Agent.cycleModel"))

  const switchTo = Effect.fnUntraced(function* (pattern: string) {
    const { model: from } = now
    const found = ModelSelection.select(yield* catalog.available, { pattern }, () => true)
    if (Either.isLeft(found) || from === undefined || label(found.right.model) === label(from)) return Option.none()
    yield* use(found.right.model, found.right.thinkingLevel)
    return Option.some({ from: label(from), to: label(found.right.model) })
  })

  const cycleThinkingLevel = Effect.gen(function* () {
    const levels = supportedLevels(now.model)
    if (levels.length < 2) return null
    const next = levels[(levels.indexOf(now.thinkingLevel) + 1) % levels.length] ?? "off"
    return yield* setThinkingLevel(next)
  }).pipe(Effect.withSpan("Agent.cycleThinkingLevel"))

  const find = makeFind(catalog)

  const restore = Effect.fnUntraced(function* (settings: SessionSettings) {
    const found = settings.model === undefined ? undefined : yield* find(settings.model)
    const before = now
    const wantedLevel = settings.thinkingLevel ?? before.wantedLevel
    now = { ...now, ...defined({ model: found }), wantedLevel }
    if (found !== undefined && (before.model === undefined || label(before.model) !== label(found))) {
      publish({ _tag: "ModelChanged", model: found })
    }
    apply(wantedLevel)
  })

  const set = (change: Partial<ControlValues>) =>
    Effect.sync(() => {
      now = { ...now, ...change }
    })

  return {
    values: () => now,
    start: (values) => {
      const { model = now.model, ...others } = { ...now, ...("steeringMode" in values ? values : choose(values)) }
      now = { ...defined({ model }), ...others }
    },
    restore,
    setModel,
    cycleModel,
    switchTo,
    setThinkingLevel,
    cycleThinkingLevel,
    ...makeModes(set)
  }
}

export const module = SessionModule.make(
  "controls",
  Controls,
  Effect.gen(function* () {
    const { entries: session, events, options } = yield* SessionCore
    const { publish } = events
    const service = make({ settings: yield* Settings, catalog: yield* ModelCatalog, session, publish }, options)
    return {
      service,
      carry: (left: Context.Context<never>) =>
        Effect.sync(() => {
          for (const { values } of Option.toArray(Context.getOption(left, Controls))) service.start(values())
        })
    }
  })
)
