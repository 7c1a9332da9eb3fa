/** Effective settings of the process: defaults < user file < project file < command line. Read once, at start. */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { optional } from "../domain/conversation/Content.ts"
import { ThinkingLevel } from "../domain/model/Model.ts"
import { lazy, type Type } from "../domain/Lazy.ts"

export const QueueMode = Schema.Literal("all", "one-at-a-time").annotations({ identifier: "QueueMode" })
export type QueueMode = typeof QueueMode.Type

export const InterruptMode = Schema.Literal("immediate", "wait").annotations({ identifier: "InterruptMode" })
export type InterruptMode = typeof InterruptMode.Type

/** Whether an abort hands queued messages back or leaves them for the next run. */
export const AbortQueue = Schema.Literal("return", "keep").annotations({ identifier: "AbortQueue" })
export type AbortQueue = typeof AbortQueue.Type

/** Providers refuse less. */
export const smallestThinkingBudget = 1024
const thinkingBudget = () => Schema.Int.pipe(Schema.greaterThanOrEqualTo(smallestThinkingBudget))

/**
 * A package with extensions, skills and prompt templates: a path, or `npm:name` for an installed one. With patterns, only
 * the parts that match are taken; an empty list takes none of that kind.
 */
export const PackageSource = lazy(() =>
  Schema.Union(
    Schema.NonEmptyString,
    Schema.Struct({
      source: Schema.NonEmptyString,
      extensions: optional(Schema.Array(Schema.String)),
      skills: optional(Schema.Array(Schema.String)),
      prompts: optional(Schema.Array(Schema.String))
    })
  )
)
export type PackageSource = Type<typeof PackageSource>

const forProjects = Symbol.for("heddle/services/Settings/forProjects")

/**
 * Marks a setting that counts even in the file of a project that nobody trusts. A setting without the mark counts only in
 * the user's own file, with `--set`, and in projects that are trusted. Mark nothing that chooses a model, an address, a
 * command, a path, spending, what is loaded, or where sessions are kept (protocol.md 11.5).
 */
const free = <A, I, R>(schema: Schema.Schema<A, I, R>) => schema.annotations({ [forProjects]: true })

export const SettingsValues = lazy(() =>
  Schema.Struct({
    steeringMode: free(QueueMode),
    followUpMode: free(QueueMode),
    interruptMode: free(InterruptMode),
    abortQueue: AbortQueue,
    defaultProvider: optional(Schema.String),
    defaultModel: optional(Schema.String),
    defaultThinkingLevel: optional(ThinkingLevel),
    /** After how many turns a run ends; unlimited where absent. */
    maxTurns: optional(Schema.Int.pipe(Schema.positive())),
    /** How many tokens a model may think at a level, for models that are told a number (protocol.md 16.2). */
    "thinkingBudgets.minimal": thinkingBudget(),
    "thinkingBudgets.low": thinkingBudget(),
    "thinkingBudgets.medium": thinkingBudget(),
    "thinkingBudgets.high": thinkingBudget(),
    "thinkingBudgets.xhigh": thinkingBudget(),
    "thinkingBudgets.max": thinkingBudget(),
    /** Model patterns that `cycle_model` goes through; empty means all. */
    enabledModels: Schema.Array(Schema.String),
    /** Where session files are kept, instead of a folder for each project in the agent's folder. */
    sessionDir: optional(Schema.String),
    /** How many messages may wait for a run, and how many bytes they may have together. */
    "queue.maxMessages": Schema.Int.pipe(Schema.positive()),
    "queue.maxBytes": Schema.Int.pipe(Schema.positive()),
    /** Whether and how failed model calls are tried again. */
    "retry.enabled": free(Schema.Boolean),
    "retry.maxRetries": free(Schema.Int.pipe(Schema.between(0, 100))),
    "retry.baseDelayMs": Schema.Finite.pipe(Schema.nonNegative()),
    "retry.maxDelayMs": Schema.Finite.pipe(Schema.nonNegative()),
    /** Models that take over when one fails, in order, by role; the role of a session is `default`. */
    "retry.fallbackChains": Schema.Record({ key: Schema.String, value: Schema.Array(Schema.String) }),
    /** Whether heddle compacts conversations that become too long, and how (docs/compaction.md). */
    "compaction.enabled": free(Schema.Boolean),
    "compaction.strategy": Schema.Literal("context-full", "handoff", "off"),
    /** Whether a run that was compacted at its end continues by itself. */
    "compaction.autoContinue": Schema.Boolean,
    /** Tokens of the window that stay free for an answer; also bounds the length of summaries. */
    "compaction.reserveTokens": Schema.Int.pipe(Schema.positive()),
    /** How many tokens at the end of a conversation a compaction keeps. */
    "compaction.keepRecentTokens": free(Schema.Int.pipe(Schema.nonNegative())),
    /** A threshold counts when it is above zero; `thresholdTokens` goes before `thresholdPercent`. */
    "compaction.thresholdPercent": Schema.Finite,
    "compaction.thresholdTokens": Schema.Finite,
    /** Compaction of an idle session. */
    "compaction.idleEnabled": Schema.Boolean,
    "compaction.idleThresholdTokens": Schema.Finite,
    "compaction.idleTimeoutSeconds": Schema.Finite.pipe(Schema.positive()),
    "branchSummary.reserveTokens": Schema.Int.pipe(Schema.positive()),
    /** Seconds that the tool `ask` waits for the user; zero: as long as it takes. */
    "ask.timeout": Schema.Finite.pipe(Schema.nonNegative()),
    /** Whether models keep a todo list, with the tool `todo_write` and reminders (docs/todos.md). */
    "todo.enabled": Schema.Boolean,
    /** Whether a model that stops with open tasks is reminded of them, and how often per prompt. */
    "todo.reminders": Schema.Boolean,
    "todo.reminders.max": Schema.Int.pipe(Schema.nonNegative()),
    /** Whether the first prompt of a session asks the model to begin with a todo list. */
    "todo.eager": Schema.Boolean,
    /** Seconds after which a finished task leaves the list; negative: never. */
    "tasks.todoClearDelay": Schema.Finite,
    /** Providers that are asked at start which models they serve: OpenAI-compatible servers, as a rule local ones. */
    "models.discover": Schema.Array(Schema.String),
    /** Longest answer of a model server that is read, decompressed. */
    "providers.maxAnswerBytes": Schema.Int.pipe(Schema.greaterThanOrEqualTo(1024)),
    /** Longest line accepted on stdin. */
    "rpc.maxFrameBytes": Schema.Int.pipe(Schema.greaterThanOrEqualTo(1024)),
    /** The shell that runs commands; bash where absent. */
    shellPath: optional(Schema.NonEmptyString),
    /** Put before every command, on a line of its own. */
    shellCommandPrefix: optional(Schema.NonEmptyString),
    /** Files and folders of extensions, relative to the settings file. Those of the project are added to those of the user. */
    extensions: Schema.Array(Schema.NonEmptyString),
    /** Packages, added up like `extensions`. */
    packages: Schema.Array(PackageSource()),
    /** Names of extensions that are found but not loaded. */
    disabledExtensions: Schema.Array(Schema.String),
    /** Folders that are looked at like the agent folder (`~/.pi/agent`) or, if relative, like `.heddle` of the project (`.pi`). */
    extensionRoots: Schema.Array(Schema.NonEmptyString),
    /** Scenario file of the model `offline/script`. */
    "offline.scenario": optional(Schema.String)
  })
)
export type SettingsValues = Type<typeof SettingsValues>

/** The settings that are marked as free for projects. */
export const projectSettings = (): ReadonlySet<PropertyKey> => {
  const marked = SchemaAST.getPropertySignatures(SettingsValues().ast).filter(
    ({ type }) => type.annotations[forProjects] === true
  )
  return new Set(marked.map(({ name }) => name))
}

export const defaults: SettingsValues = {
  steeringMode: "one-at-a-time",
  followUpMode: "one-at-a-time",
  interruptMode: "wait",
  abortQueue: "return",
  enabledModels: [],
  "thinkingBudgets.minimal": smallestThinkingBudget,
  "thinkingBudgets.low": 2048,
  "thinkingBudgets.medium": 8192,
  "thinkingBudgets.high": 16_384,
  "thinkingBudgets.xhigh": 32_768,
  "thinkingBudgets.max": 32_768,
  "queue.maxMessages": 1000,
  "queue.maxBytes": 64 * 1024 * 1024,
  "retry.enabled": true,
  "retry.maxRetries": 3,
  "retry.baseDelayMs": 2000,
  "retry.maxDelayMs": 60_000,
  "retry.fallbackChains": {},
  "compaction.enabled": true,
  "compaction.strategy": "context-full",
  "compaction.autoContinue": false,
  "compaction.reserveTokens": 16_384,
  "compaction.keepRecentTokens": 20_000,
  "compaction.thresholdPercent": -1,
  "compaction.thresholdTokens": -1,
  "compaction.idleEnabled": false,
  "compaction.idleThresholdTokens": 200_000,
  "compaction.idleTimeoutSeconds": 300,
  "branchSummary.reserveTokens": 16_384,
  "ask.timeout": 30,
  "todo.enabled": true,
  "todo.reminders": true,
  "todo.reminders.max": 3,
  "todo.eager": false,
  "tasks.todoClearDelay": 60,
  "models.discover": [],
  "providers.maxAnswerBytes": 64 * 1024 * 1024,
  "rpc.maxFrameBytes": 64 * 1024 * 1024,
  extensions: [],
  packages: [],
  disabledExtensions: [],
  extensionRoots: []
}

export class Settings extends Context.Tag("heddle/services/Settings")<Settings, SettingsValues>() {}
