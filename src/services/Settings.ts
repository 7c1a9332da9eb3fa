/** Effective settings of the process: defaults < user file < project file < command line. Read once, at start. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { ThinkingLevel } from "../domain/model/Model.ts"
import * as Approvals from "./settings/Approvals.ts"
import * as Guidance from "./settings/Guidance.ts"
import * as Protection from "./settings/Protection.ts"
import * as Reliability from "./settings/Reliability.ts"
import * as Resources from "./settings/Resources.ts"
import { count, flag, type Marks, marksOf, optionalSetting, setting, texts } from "./settings/Setting.ts"
import * as Tasks from "./settings/Tasks.ts"

export const QueueMode = Schema.Literal("all", "one-at-a-time").annotations({
  identifier: "QueueMode",
  description: "Whether a turn takes one queued message or all of them."
})
export type QueueMode = typeof QueueMode.Type

export const InterruptMode = Schema.Literal("immediate", "wait").annotations({
  identifier: "InterruptMode",
  description: "Whether steering interrupts the running tools or waits for them."
})
export type InterruptMode = typeof InterruptMode.Type

/** Whether an abort hands queued messages back or leaves them for the next run. */
export const AbortQueue = Schema.Literal("return", "keep").annotations({
  identifier: "AbortQueue",
  description: "Whether an abort returns queued messages or leaves them for the next run."
})
export type AbortQueue = typeof AbortQueue.Type

/** Providers refuse less. */
export const smallestThinkingBudget = 1024
const thinkingBudget = (level: string, initial: number) =>
  setting(
    Schema.Int.pipe(Schema.greaterThanOrEqualTo(smallestThinkingBudget)),
    `How many tokens a model may think at level \`${level}\`, for models that are told a number.`,
    { default: initial }
  )

export const SettingsValues = Schema.Struct({
  steeringMode: setting(QueueMode, "Whether queued steering messages are delivered one by one or together.", {
    default: "one-at-a-time",
    free: true
  }),
  followUpMode: setting(QueueMode, "Whether queued follow-up messages are delivered one by one or together.", {
    default: "one-at-a-time",
    free: true
  }),
  interruptMode: setting(InterruptMode, "Whether a steering message waits for the tools that run, or cuts them off.", {
    default: "wait",
    free: true
  }),
  abortQueue: setting(AbortQueue, "Whether an abort hands queued messages back or leaves them for the next run.", {
    default: "return"
  }),
  maxTurns: optionalSetting(count, "After how many turns a run ends; unlimited if unset."),
  sessionDir: optionalSetting(
    Schema.String,
    "Where session files are kept, instead of a folder for each project in the agent folder."
  ),
  "queue.maxMessages": setting(count, "How many messages may wait for a run.", {
    default: 1000
  }),
  "queue.maxBytes": setting(count, "How many bytes the messages that wait for a run may have together.", {
    default: 64 * 1024 * 1024
  }),
  "ask.timeout": setting(
    Schema.Finite.pipe(Schema.nonNegative()),
    "Seconds that the tool `ask` waits for the user; 0 waits as long as it takes.",
    { default: 30 }
  ),
  shellPath: optionalSetting(Schema.NonEmptyString, "The shell that runs commands; bash if unset."),
  shellCommandPrefix: optionalSetting(Schema.NonEmptyString, "Put before every command, on a line of its own."),
  "rpc.maxFrameBytes": setting(
    Schema.Int.pipe(Schema.greaterThanOrEqualTo(1024)),
    "The longest line that is accepted on stdin.",
    { default: 64 * 1024 * 1024 }
  ),
  defaultProvider: optionalSetting(Schema.String, "The provider of the model that a session begins with."),
  defaultModel: optionalSetting(Schema.String, "The model that a session begins with."),
  defaultThinkingLevel: optionalSetting(
    ThinkingLevel,
    "How hard the model thinks at first, clamped to what it supports."
  ),
  enabledModels: setting(texts, "Patterns of the models that `cycle_model` goes through; empty means all.", {
    default: []
  }),
  "thinkingBudgets.minimal": thinkingBudget("minimal", smallestThinkingBudget),
  "thinkingBudgets.low": thinkingBudget("low", 2048),
  "thinkingBudgets.medium": thinkingBudget("medium", 8192),
  "thinkingBudgets.high": thinkingBudget("high", 16_384),
  "thinkingBudgets.xhigh": thinkingBudget("xhigh", 32_768),
  "thinkingBudgets.max": thinkingBudget("max", 32_768),
  "models.discover": setting(
    texts,
    "Providers that are asked at start which models they serve: OpenAI-compatible servers, as a rule local ones.",
    { default: [] }
  ),
  "providers.maxAnswerBytes": setting(
    Schema.Int.pipe(Schema.greaterThanOrEqualTo(1024)),
    "The longest answer of a model server that is read, decompressed.",
    { default: 64 * 1024 * 1024 }
  ),
  "offline.scenario": optionalSetting(Schema.String, "Scenario file of the model `offline/script`."),
  "images.autoResize": flag(true, "Whether large images are made smaller before a model gets them.", "planned"),
  "images.blockImages": flag(false, "Whether images are kept from models.", "planned"),
  ...Approvals.fields,
  ...Reliability.fields,
  ...Resources.fields,
  ...Guidance.fields,
  ...Tasks.fields,
  ...Protection.fields,
  "telemetry.enabled": flag(false, "Whether traces of sessions are sent to `telemetry.endpoint`.", "planned"),
  "telemetry.endpoint": optionalSetting(Schema.NonEmptyString, "Address of an OTLP collector.", { planned: true }),
  "telemetry.serviceName": optionalSetting(Schema.NonEmptyString, "Name of this service in the traces.", {
    planned: true
  })
})
export type SettingsValues = typeof SettingsValues.Type

/** The settings with this mark. */
export const marked = (mark: keyof Marks): ReadonlySet<PropertyKey> => {
  const found = SchemaAST.getPropertySignatures(SettingsValues.ast).filter(({ type }) => marksOf(type)[mark] === true)
  return new Set(found.map(({ name }) => name))
}

/** A test decodes them, so that a start does not. */
export const defaults: SettingsValues = SettingsValues.make({}, { disableValidation: true })

export class Settings extends Context.Tag("heddle/services/Settings")<Settings, SettingsValues>() {}

/** For the host: settings of other programs, which have no effect. Undefined if there are none, or hosts were notified of them before. */
export class ForeignSettings extends Context.Reference<ForeignSettings>()("heddle/services/Settings/ForeignSettings", {
  defaultValue: (): Effect.Effect<string | undefined> => Effect.succeed(undefined)
}) {}

/** For the host, once: which settings were ignored, and why. Empty if none were. */
export class SettingsNotice extends Context.Reference<SettingsNotice>()("heddle/services/Settings/SettingsNotice", {
  defaultValue: () => ""
}) {}
