/** Effective settings of the process: defaults < user file < project file < command line. Read once, at start. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { optional } from "../domain/conversation/Content.ts"
import { ThinkingLevel } from "../domain/model/Model.ts"
import * as Guidance from "./settings/Guidance.ts"
import * as Reliability from "./settings/Reliability.ts"
import * as Resources from "./settings/Resources.ts"
import { type Marks, marksOf, setting } from "./settings/Setting.ts"
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
const thinkingBudget = (level: string) =>
  setting(
    Schema.Int.pipe(Schema.greaterThanOrEqualTo(smallestThinkingBudget)),
    `How many tokens a model may think at level \`${level}\`, for models that are told a number.`
  )

const running = () => ({
  steeringMode: setting(QueueMode, "Whether queued steering messages are delivered one by one or together.", {
    free: true
  }),
  followUpMode: setting(QueueMode, "Whether queued follow-up messages are delivered one by one or together.", {
    free: true
  }),
  interruptMode: setting(InterruptMode, "Whether a steering message waits for the tools that run, or cuts them off.", {
    free: true
  }),
  abortQueue: setting(AbortQueue, "Whether an abort hands queued messages back or leaves them for the next run."),
  maxTurns: optional(
    setting(Schema.Int.pipe(Schema.positive()), "After how many turns a run ends; unlimited if unset.")
  ),
  sessionDir: optional(
    setting(Schema.String, "Where session files are kept, instead of a folder for each project in the agent folder.")
  ),
  "queue.maxMessages": setting(Schema.Int.pipe(Schema.positive()), "How many messages may wait for a run."),
  "queue.maxBytes": setting(
    Schema.Int.pipe(Schema.positive()),
    "How many bytes the messages that wait for a run may have together."
  ),
  "ask.timeout": setting(
    Schema.Finite.pipe(Schema.nonNegative()),
    "Seconds that the tool `ask` waits for the user; 0 waits as long as it takes."
  ),
  shellPath: optional(setting(Schema.NonEmptyString, "The shell that runs commands; bash if unset.")),
  shellCommandPrefix: optional(setting(Schema.NonEmptyString, "Put before every command, on a line of its own.")),
  "rpc.maxFrameBytes": setting(
    Schema.Int.pipe(Schema.greaterThanOrEqualTo(1024)),
    "The longest line that is accepted on stdin."
  )
})

const models = () => ({
  defaultProvider: optional(setting(Schema.String, "The provider of the model that a session begins with.")),
  defaultModel: optional(setting(Schema.String, "The model that a session begins with.")),
  defaultThinkingLevel: optional(
    setting(ThinkingLevel, "How hard the model thinks at first, clamped to what it supports.")
  ),
  enabledModels: setting(
    Schema.Array(Schema.String),
    "Patterns of the models that `cycle_model` goes through; empty means all."
  ),
  "thinkingBudgets.minimal": thinkingBudget("minimal"),
  "thinkingBudgets.low": thinkingBudget("low"),
  "thinkingBudgets.medium": thinkingBudget("medium"),
  "thinkingBudgets.high": thinkingBudget("high"),
  "thinkingBudgets.xhigh": thinkingBudget("xhigh"),
  "thinkingBudgets.max": thinkingBudget("max"),
  "models.discover": setting(
    Schema.Array(Schema.String),
    "Providers that are asked at start which models they serve: OpenAI-compatible servers, as a rule local ones."
  ),
  "providers.maxAnswerBytes": setting(
    Schema.Int.pipe(Schema.greaterThanOrEqualTo(1024)),
    "The longest answer of a model server that is read, decompressed."
  ),
  "offline.scenario": optional(setting(Schema.String, "Scenario file of the model `offline/script`.")),
  "images.autoResize": setting(Schema.Boolean, "Whether large images are made smaller before a model gets them.", {
    planned: true
  }),
  "images.blockImages": setting(Schema.Boolean, "Whether images are kept from models.", { planned: true })
})

const telemetry = () => ({
  "telemetry.enabled": setting(Schema.Boolean, "Whether traces of sessions are sent to `telemetry.endpoint`.", {
    planned: true
  }),
  "telemetry.endpoint": optional(setting(Schema.NonEmptyString, "Address of an OTLP collector.", { planned: true })),
  "telemetry.serviceName": optional(
    setting(Schema.NonEmptyString, "Name of this service in the traces.", { planned: true })
  )
})

/** Built on first use, because most people have no setting that would have to be checked. */
export const SettingsValues = Schema.Struct({
  ...running(),
  ...models(),
  ...Reliability.fields(),
  ...Resources.fields(),
  ...Guidance.fields(),
  ...Tasks.fields(),
  ...telemetry()
})
export type SettingsValues = typeof SettingsValues.Type

/** The settings with this mark. */
export const marked = (mark: keyof Marks): ReadonlySet<PropertyKey> => {
  const found = SchemaAST.getPropertySignatures(SettingsValues.ast).filter(({ type }) => marksOf(type)[mark] === true)
  return new Set(found.map(({ name }) => name))
}

export const defaults: SettingsValues = {
  steeringMode: "one-at-a-time",
  followUpMode: "one-at-a-time",
  interruptMode: "wait",
  abortQueue: "return",
  "queue.maxMessages": 1000,
  "queue.maxBytes": 64 * 1024 * 1024,
  "ask.timeout": 30,
  "rpc.maxFrameBytes": 64 * 1024 * 1024,
  enabledModels: [],
  "thinkingBudgets.minimal": smallestThinkingBudget,
  "thinkingBudgets.low": 2048,
  "thinkingBudgets.medium": 8192,
  "thinkingBudgets.high": 16_384,
  "thinkingBudgets.xhigh": 32_768,
  "thinkingBudgets.max": 32_768,
  "models.discover": [],
  "providers.maxAnswerBytes": 64 * 1024 * 1024,
  "images.autoResize": true,
  "images.blockImages": false,
  ...Reliability.defaults,
  ...Resources.defaults,
  ...Guidance.defaults,
  ...Tasks.defaults,
  "telemetry.enabled": false
}

export class Settings extends Context.Tag("heddle/services/Settings")<Settings, SettingsValues>() {}

/** For the host: settings of other programs, which have no effect. Undefined if there are none, or hosts were told of them before. */
export class ForeignSettings extends Context.Reference<ForeignSettings>()("heddle/services/Settings/ForeignSettings", {
  defaultValue: (): Effect.Effect<string | undefined> => Effect.succeed(undefined)
}) {}

/** For the host, once: which settings were ignored, and why. Empty if none were. */
export class SettingsNotice extends Context.Reference<SettingsNotice>()("heddle/services/Settings/SettingsNotice", {
  defaultValue: () => ""
}) {}
