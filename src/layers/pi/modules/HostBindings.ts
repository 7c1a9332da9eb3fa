/**
 * What the importable modules need from the running agent, in plain types: the extension host binds it before it loads the
 * first extension. Modules that Bun has linked stay as they are, so they ask the holder at each call.
 */
import type { InputContent, JsonObject } from "../../../domain/conversation/Content.ts"
import type { AgentMessage, Message } from "../../../domain/conversation/Message.ts"
import type { Model, ThinkingLevel } from "../../../domain/model/Model.ts"
import type { Tokens, Usage } from "../../../domain/model/Usage.ts"
import type { SettingsValues } from "../../../services/Settings.ts"

/** The result of a tool as pi's tools give it. */
export interface PiToolResult {
  readonly content: ReadonlyArray<InputContent>
  readonly details: JsonObject | undefined
}

export interface ToolCallOptions {
  readonly toolCallId: string
  /** Ends the call when it aborts. The promise then rejects. */
  readonly signal?: AbortSignal | undefined
  readonly onUpdate?: ((partial: PiToolResult) => void) | undefined
}

/** A built-in tool, ready to run in one folder. */
export interface BoundTool {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
  /** Rejects with the text for the model when the tool fails. */
  readonly execute: (args: JsonObject, options: ToolCallOptions) => Promise<PiToolResult>
}

export type ToolName = "read" | "bash" | "edit" | "write" | "grep" | "find" | "ls"

export interface ExecOptions {
  readonly onData: (data: Buffer) => void
  readonly signal?: AbortSignal | undefined
  /** Seconds. */
  readonly timeout?: number | undefined
  readonly env?: Record<string, string | undefined> | undefined
}

/** How an extension runs commands or reaches files instead of the local machine; which members count depends on the tool. */
export interface Operations {
  readonly exec?: (command: string, cwd: string, options: ExecOptions) => Promise<{ readonly exitCode: number | null }>
  readonly readFile?: (path: string) => Promise<Uint8Array | string> | Uint8Array | string
  readonly writeFile?: (path: string, content: string) => Promise<void> | void
  readonly access?: (path: string) => Promise<void> | void
  readonly mkdir?: (path: string) => Promise<void> | void
  readonly exists?: (path: string) => Promise<boolean> | boolean
  readonly isDirectory?: (path: string) => Promise<boolean> | boolean
  readonly stat?: (path: string) => Promise<Stat> | Stat
  readonly readdir?: (path: string) => Promise<ReadonlyArray<string>> | ReadonlyArray<string>
  readonly glob?: (
    pattern: string,
    cwd: string,
    options: { readonly ignore: ReadonlyArray<string>; readonly limit: number }
  ) => Promise<ReadonlyArray<string>> | ReadonlyArray<string>
  readonly detectImageMimeType?: (path: string) => Promise<string | null | undefined>
}

interface Stat {
  readonly isDirectory: () => boolean
}

export interface SpawnContext {
  readonly command: string
  readonly cwd: string
  readonly env: Record<string, string | undefined>
}

export interface ToolOptions {
  readonly cwd: string
  readonly operations?: Operations | undefined
  /** Bash only: changes a command before it runs. */
  readonly spawnHook?: ((context: SpawnContext) => SpawnContext) | undefined
  /** Bash only: a line that runs before every command. */
  readonly commandPrefix?: string | undefined
  /** Read only: false hands large images out as they are. */
  readonly autoResizeImages?: boolean | undefined
}

export interface ToolBindings {
  readonly make: (name: ToolName, options: ToolOptions) => BoundTool
  /** Runs `work` while no edit or write of the session touches the file. */
  readonly exclusively: <A>(path: string, work: () => Promise<A>) => Promise<A>
  /** Runs a command in the shell of the agent. */
  readonly exec: (command: string, cwd: string, options: ExecOptions) => Promise<{ readonly exitCode: number | null }>
}

export interface SessionListing {
  readonly path: string
  readonly id: string
  readonly cwd: string
  readonly name?: string
  readonly created: string
  readonly modified: string
  readonly messageCount: number
  readonly firstMessage: string
}

/** A stored session: the header and the entries as pi's files have them. */
export interface SessionContents {
  readonly header: JsonObject
  readonly entries: ReadonlyArray<JsonObject>
}

export interface SessionBindings {
  /** The sessions of a folder of session files; without one, those of the working folder. */
  readonly list: (folder?: string) => Promise<ReadonlyArray<SessionListing>>
  readonly listAll: () => Promise<ReadonlyArray<SessionListing>>
  /** Where the sessions of a working folder are stored. */
  readonly folderOf: (cwd: string) => string
  /** Reads a session file at once, because pi's `SessionManager.open` does not wait. */
  readonly read: (path: string) => SessionContents
  /** The newest session file of a folder. */
  readonly latest: (folder: string) => string | undefined
}

/** An event of pi's streams (protocol.md 5.3). */
export interface AssistantEvent {
  readonly type: string
  /** Of `done`. */
  readonly message?: unknown
  /** Of `error`: the message as far as it came, with the reason. */
  readonly error?: unknown
}

export interface ModelBindings {
  readonly all: () => ReadonlyArray<Model>
  readonly available: () => Promise<ReadonlyArray<Model>>
  /** Calls the model with the keys of the agent. The last event is `done` or `error`; it never rejects. */
  readonly stream: (model: Model, context: unknown, options: unknown) => AsyncIterable<AssistantEvent>
  readonly supportedLevels: (model: Model) => ReadonlyArray<ThinkingLevel>
  readonly clampLevel: (model: Model, level: ThinkingLevel) => ThinkingLevel
  readonly cost: (tokens: Tokens, prices: Tokens) => Usage["cost"]
}

export interface ConversationBindings {
  readonly toLlm: (messages: ReadonlyArray<AgentMessage>) => ReadonlyArray<Message>
  readonly serialize: (messages: ReadonlyArray<AgentMessage>) => string
  readonly estimateTokens: (message: AgentMessage) => number
  /** The messages of a branch, with compactions and edits applied. */
  readonly messages: (branch: ReadonlyArray<JsonObject>) => ReadonlyArray<AgentMessage>
  /** The entries of the text of a session file, the header first. */
  readonly parse: (text: string) => ReadonlyArray<JsonObject>
}

export interface HostBindings {
  readonly agentDir: string
  readonly cwd: string
  readonly version: string
  /** The folder of the heddle package. */
  readonly packageDir: string
  readonly settings: () => SettingsValues
  readonly tools: ToolBindings
  readonly sessions: SessionBindings
  readonly models: ModelBindings
  readonly conversation: ConversationBindings
  /** What is stored for a provider: `{type: "api_key", key}`, or the tokens of a sign-in. */
  readonly credential: (provider: string) => JsonObject | undefined
}

export interface Holder {
  /** Throws where it is not known for which session it is asked. */
  readonly get: () => HostBindings
}

/** While no session is open. */
export const none: Holder = {
  get: () => {
    throw new Error("heddle has not started yet: call this from an extension, not before")
  }
}
