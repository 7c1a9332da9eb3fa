/**
 * What the objects that extensions get (`pi`, `ctx`) call of heddle, for one session. Binding.ts makes it from the
 * services of the process and of the session; tests have a fake.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { InputContent, JsonObject } from "../../domain/conversation/Content.ts"
import type { AgentMessage, AssistantMessage, CustomMessage } from "../../domain/conversation/Message.ts"
import type { Model } from "../../domain/model/Model.ts"
import type { Agent } from "../../services/Agent.ts"
import type { SourceInfo } from "../../domain/extension/SourceInfo.ts"
import type { SessionCommands } from "../../services/session/modules/Commands.ts"
import type { SessionHooks } from "../../services/hooks/Hooks.ts"
import type { Ui } from "../../services/host/HostUi.ts"
import type { Processes } from "../../services/machine/Processes.ts"
import type { ModelCatalog } from "../../services/model/ModelCatalog.ts"
import type { Controls } from "../../services/session/modules/Controls.ts"
import type { Instructions } from "../../services/session/modules/Instructions.ts"
import type { Session } from "../../services/session/Session.ts"
import type { SettingsValues } from "../../services/Settings.ts"
import type { ToolContext, ToolFailure } from "../../services/Tools.ts"

/** Why heddle did not do what an extension asked for. */
export interface Refusal {
  readonly message: string
}

export interface SendOptions {
  readonly deliverAs?: "steer" | "followUp" | "nextTurn"
  readonly triggerTurn?: boolean
}

export interface SendUserOptions {
  /** How many handlers lie around the sender that were called for messages of others of them. */
  readonly nesting?: number
  readonly deliverAs?: "steer" | "followUp"
  readonly expandPromptTemplates?: boolean
}

export type CustomInput = Pick<CustomMessage, "customType" | "content" | "display" | "details">

export interface MessagePort {
  readonly send: (message: CustomInput, options: SendOptions) => Effect.Effect<unknown, Refusal>
  readonly sendUser: (
    content: string | ReadonlyArray<InputContent>,
    options: SendUserOptions
  ) => Effect.Effect<unknown, Refusal>
  readonly appendEntry: (customType: string, data: unknown) => Effect.Effect<string, Refusal>
  /** Adds a message to the session without an event or a run, for `newSession({ setup })`. */
  readonly appendMessage: (message: AgentMessage) => Effect.Effect<string, Refusal>
  readonly setLabel: (entryId: string, label: string | undefined) => Effect.Effect<void, Refusal>
}

/** A tool as an extension defines it. Its schema and results are whatever the extension gave. */
export interface ForeignTool {
  readonly name: string
  readonly label: string
  readonly description: string
  readonly parameters: unknown
  readonly promptSnippet?: string
  readonly promptGuidelines?: ReadonlyArray<string>
  readonly hidden: boolean
  readonly concurrency: "shared" | "exclusive"
  readonly source: SourceInfo
  readonly prepareArguments?: (args: unknown) => unknown
  /** An interrupt aborts the signal that the extension got. The result has content, details, isError, terminate, usage. */
  readonly execute: (
    args: JsonObject,
    context: Pick<ToolContext, "toolCallId" | "progress">
  ) => Effect.Effect<unknown, ToolFailure>
}

export interface ToolSummary {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
  readonly promptGuidelines?: ReadonlyArray<string>
  readonly source?: SourceInfo
}

export interface ToolPort {
  readonly register: (tool: ForeignTool) => Effect.Effect<void, Refusal, Scope.Scope>
  readonly all: Effect.Effect<ReadonlyArray<ToolSummary>>
  readonly activeNames: Effect.Effect<ReadonlyArray<string>>
  readonly setActive: (names: ReadonlyArray<string>) => Effect.Effect<void>
}

export interface ProviderPort {
  /** The configuration is pi's, as the extension gave it: nothing in it is checked. It must not wait. */
  readonly register: (name: string, config: JsonObject) => Effect.Effect<void, Refusal, Scope.Scope>
  readonly unregister: (name: string) => Effect.Effect<void>
}

export type RequestAuth =
  | { readonly ok: true; readonly apiKey?: string; readonly headers?: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly error: string }

/** The events of a model call for code of others: an async iterable with the final message. */
export interface AssistantStream {
  readonly [Symbol.asyncIterator]: () => AsyncIterator<unknown>
  readonly result: () => Promise<AssistantMessage>
}

export interface ModelPort {
  readonly catalog: typeof ModelCatalog.Service
  /** The models that `cycleModel` goes through, if they were narrowed down. */
  readonly scoped: Effect.Effect<ReadonlyArray<{ readonly model: Model; readonly thinkingLevel?: string }>>
  readonly auth: (model: Model) => Effect.Effect<RequestAuth>
  /** The key of a provider in clear text: extensions are trusted code. */
  readonly keyOf: (provider: string) => Effect.Effect<string | undefined, Refusal>
  readonly hasKey: (provider: string) => Effect.Effect<boolean>
  readonly isUsingOAuth: (model: Model) => Effect.Effect<boolean>
  /** A call, and the effect that makes it. The context is pi's, and unchecked: systemPrompt, messages and tools. */
  readonly call: (
    model: Model,
    context: unknown,
    options: JsonObject
  ) => Effect.Effect<{ readonly stream: AssistantStream; readonly run: Effect.Effect<unknown> }, Refusal>
}

export interface Changed {
  /** A hook refused the change. */
  readonly cancelled: boolean
}

/** Changes of the host's session. They end the session, so they run outside of it, and return in the next one. */
export interface ChangePort {
  readonly create: (options: { readonly parentSession?: string }) => Effect.Effect<Changed, Refusal>
  readonly open: (path: string) => Effect.Effect<Changed, Refusal>
  /** `before`: the session ends before this user message. `at`: it ends with this entry. */
  readonly fork: (entryId: string, position: "before" | "at") => Effect.Effect<Changed, Refusal>
  readonly navigate: (options: {
    readonly entryId: string
    readonly summarize: boolean
    readonly customInstructions?: string
    readonly label?: string
  }) => Effect.Effect<Changed, Refusal>
  readonly rename: (name: string) => Effect.Effect<void, Refusal>
}

export interface Ports {
  readonly cwd: string
  readonly agent: Pick<typeof Agent.Service, "abort" | "awaitIdle" | "compact" | "queue" | "state">
  readonly instructions: Pick<typeof Instructions.Service, "current">
  readonly controls: Pick<typeof Controls.Service, "setModel" | "setThinkingLevel">
  readonly session: typeof Session.Service
  /** The process log, for `pi.logger`. */
  readonly log: (level: "debug" | "info" | "warn" | "error", message: string) => Effect.Effect<void>
  readonly hooks: typeof SessionHooks.Service
  readonly changes: ChangePort
  readonly messages: MessagePort
  readonly tools: ToolPort
  readonly commands: SessionCommands
  readonly providers: ProviderPort
  readonly models: ModelPort
  readonly ui: Ui
  readonly processes: typeof Processes.Service
  readonly settings: SettingsValues
  readonly isTrusted: Effect.Effect<boolean>
  /** Options of the command line that heddle does not know, without their dashes. */
  readonly flags: { readonly unknown: ReadonlyMap<string, string | true> }
  /** Ends the process as the end of the host's input does. */
  readonly shutdown: Effect.Effect<void>
}
