/**
 * The few of pi's types that these examples need, so that they compile here. For extensions of your own, install
 * `@earendil-works/pi-coding-agent` as a development dependency and import its types.
 */
declare module "@earendil-works/pi-coding-agent" {
  import type { Static, TSchema } from "typebox"

  export interface ExtensionContext {
    readonly cwd: string
    readonly hasUI: boolean
    readonly ui: {
      readonly confirm: (title: string, message: string) => Promise<boolean>
      readonly notify: (message: string, type?: "info" | "warning" | "error") => void
    }
  }

  interface ToolCallEvent {
    readonly toolName: string
    readonly input: Readonly<Record<string, unknown>>
  }

  interface ToolResult {
    readonly content: Array<{ type: "text"; text: string }>
    readonly details: unknown
  }

  export interface ExtensionAPI {
    on(
      event: "tool_call",
      handler: (
        event: ToolCallEvent,
        ctx: ExtensionContext
      ) => Promise<{ block: boolean; reason?: string } | undefined | void> | void
    ): () => void
    registerTool<P extends TSchema>(tool: {
      readonly name: string
      readonly label: string
      readonly description: string
      readonly promptSnippet?: string
      readonly parameters: P
      execute(
        toolCallId: string,
        params: Static<P>,
        signal: AbortSignal | undefined,
        onUpdate: unknown,
        ctx: ExtensionContext
      ): Promise<ToolResult>
    }): void
    registerCommand(
      name: string,
      options: {
        readonly description?: string
        handler(args: string, ctx: ExtensionContext): Promise<void>
      }
    ): void
    registerFlag(name: string, options: { description?: string; type: "string"; default?: string }): void
    getFlag(name: string): boolean | string | undefined
  }
}
