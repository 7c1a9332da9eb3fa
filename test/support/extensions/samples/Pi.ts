/** As much of pi's types as the samples use. */

export interface Message {
  readonly role: string
  readonly content: unknown
  readonly [key: string]: unknown
}

export interface Event {
  readonly type: string
  readonly text: string
  readonly prompt: string
  readonly systemPrompt: string
  readonly toolName: string
  readonly input: Record<string, unknown>
  readonly content: ReadonlyArray<{ readonly text: string }>
  readonly messages: ReadonlyArray<Message>
  readonly message: Message
  readonly command: string
  readonly reason: string
  readonly customInstructions?: string
  readonly payload: object
  readonly [key: string]: unknown
}

interface Asking {
  readonly timeout?: number
  readonly signal?: AbortSignal
}

export interface Ui {
  readonly notify: (text: string, type?: string) => void
  readonly setStatus: (key: string, text?: string) => void
  readonly setWidget: (key: string, lines?: ReadonlyArray<string>) => void
  readonly setTitle: (title: string) => void
  readonly setEditorText: (text: string) => void
  readonly select: (title: string, options: ReadonlyArray<string>, asking?: Asking) => Promise<string | undefined>
  readonly confirm: (title: string, message: string, asking?: Asking) => Promise<boolean>
  readonly input: (title: string, placeholder?: string, asking?: Asking) => Promise<string | undefined>
  readonly editor: (title: string, prefill?: string) => Promise<string | undefined>
}

export interface SessionManager {
  readonly getSessionFile: () => string | undefined
  readonly getSessionId: () => string
  readonly getEntries: () => ReadonlyArray<{
    readonly type: string
    readonly id: string
    readonly [key: string]: unknown
  }>
  readonly appendMessage: (message: object) => void
  readonly appendCustomEntry: (type: string, data: unknown) => void
}

export interface Context {
  readonly ui: Ui
  readonly hasUI: boolean
  readonly cwd: string
  readonly signal: AbortSignal | undefined
  readonly sessionManager: SessionManager
  readonly isIdle: () => boolean
  readonly isProjectTrusted: () => boolean
  readonly shutdown: () => void
  readonly abort: () => void
}

type Send = (message: object, options?: object) => void
type SendUser = (content: unknown, options?: object) => void

interface Change {
  readonly setup?: (manager: SessionManager) => Promise<void>
  readonly withSession?: (ctx: CommandContext & { sendMessage: Send; sendUserMessage: SendUser }) => Promise<void>
}
type Changed = Promise<{ readonly cancelled: boolean }>

export interface CommandContext extends Context {
  readonly waitForIdle: () => Promise<void>
  readonly newSession: (change?: Change) => Changed
  readonly fork: (entryId: string, change?: Change) => Changed
  readonly switchSession: (path: string, change?: Change) => Changed
  readonly reload: () => Promise<void>
}

type Update = (partial: object) => void

export interface Tool {
  readonly name: string
  readonly label?: string
  readonly description?: string
  readonly parameters?: object
  readonly promptGuidelines?: ReadonlyArray<string>
  readonly execute: (
    id: string,
    params: Record<string, unknown>,
    signal: AbortSignal,
    update: Update,
    ctx: Context
  ) => unknown
}

export interface Api {
  readonly on: (event: string, handler: (event: Event, ctx: Context) => unknown) => () => void
  readonly registerTool: (tool: Tool) => void
  readonly registerCommand: (
    name: string,
    command: { readonly description?: string; readonly handler: (args: string, ctx: CommandContext) => unknown }
  ) => void
  readonly registerFlag: (name: string, flag: object) => void
  readonly getFlag: (name: string) => unknown
  readonly registerProvider: (name: string, config: object) => void
  readonly sendMessage: Send
  readonly sendUserMessage: SendUser
  readonly appendEntry: (type: string, data?: unknown) => void
  readonly getActiveTools: () => ReadonlyArray<string>
  readonly setActiveTools: (names: ReadonlyArray<string>) => void
  readonly events: {
    readonly emit: (channel: string, data: unknown) => void
    readonly on: (channel: string, handler: (data: unknown) => void) => () => void
  }
}

/** The text of a tool, as a result. */
export const said = (text: string, rest: object = {}) => ({ content: [{ type: "text", text }], ...rest })

const askedFirst = "input before_agent_start context before_provider_request after_provider_response"
const watched = "agent_start turn_start message_start message_update message_end turn_end agent_end"
const around = "tool_call tool_result tool_execution_start tool_execution_end user_bash"

/** Events at which an extension can misbehave. */
export const points = `${askedFirst} ${watched} ${around} session_before_compact session_before_switch`.split(" ")
