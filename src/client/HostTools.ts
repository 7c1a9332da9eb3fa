/** The host's side of its tools: runs calls side by side, each with a signal that fires when heddle cancels the call. */
import type {
  HostFrame,
  HostToolCallEvent,
  HostToolCancelEvent,
  HostToolDefinition,
  HostToolOutput
} from "./generated/Protocol.ts"

/** What a tool answers: a text, or content with details. With `isError` the model is told that the call failed. */
export type ToolResult = string | (HostToolOutput & { readonly isError?: boolean })

export interface ToolContext {
  readonly toolCallId: string
  /** Fires when the call is cancelled or the process has ended. The result is not needed any more. */
  readonly signal: AbortSignal
  /** Shows progress: all output so far, not an increment. Restarts the tool's `timeoutMs`. */
  readonly sendUpdate: (partial: ToolResult) => void
}

export interface CustomTool extends HostToolDefinition {
  /** Gets arguments that fit `parameters`. If it throws, the model is told the message. */
  readonly execute: (args: Readonly<Record<string, unknown>>, context: ToolContext) => ToolResult | Promise<ToolResult>
}

const texts = (text: string): HostToolOutput => ({ content: [{ type: "text", text }] })

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const outputOf = (result: ToolResult): HostToolOutput => {
  if (typeof result === "string") return texts(result)
  if (!Array.isArray(Object(result).content))
    throw new TypeError("The tool must return a text or an object with `content`.")
  const { isError: _, ...output } = result
  return output
}

const isErrorOf = (result: ToolResult): { readonly isError?: true } =>
  typeof result !== "string" && result.isError === true ? { isError: true } : {}

export const definitionOf = (tool: CustomTool): HostToolDefinition => {
  const { execute: _, ...definition } = tool
  return definition
}

export class HostTools {
  private tools: ReadonlyMap<string, CustomTool> = new Map()
  private readonly calls = new Map<string, AbortController>()
  private readonly send: (frame: HostFrame) => void

  constructor(send: (frame: HostFrame) => void) {
    this.send = send
  }

  get definitions(): ReadonlyArray<HostToolDefinition> {
    return [...this.tools.values()].map(definitionOf)
  }

  replace(tools: ReadonlyArray<CustomTool>): void {
    this.tools = new Map(tools.map((tool) => [tool.name, tool]))
  }

  call(event: HostToolCallEvent): void {
    const call = new AbortController()
    this.calls.set(event.id, call)
    void this.run(event, call.signal)
  }

  cancel({ targetId }: HostToolCancelEvent): void {
    const call = this.calls.get(targetId)
    this.calls.delete(targetId)
    call?.abort(new Error("heddle cancelled the call"))
  }

  /** The process has ended: results are not awaited any more. */
  cancelAll(reason: Error): void {
    const calls = [...this.calls.values()]
    this.calls.clear()
    for (const call of calls) call.abort(reason)
  }

  private async run(
    { arguments: args, id, toolCallId, toolName }: HostToolCallEvent,
    signal: AbortSignal
  ): Promise<void> {
    const update = (partial: ToolResult) => {
      if (this.calls.has(id)) this.send({ type: "host_tool_update", id, partialResult: outputOf(partial) })
    }
    const finish = (result: ToolResult) => {
      if (this.calls.has(id))
        this.send({ type: "host_tool_result", id, result: outputOf(result), ...isErrorOf(result) })
    }
    try {
      const tool = this.tools.get(toolName)
      if (tool === undefined) throw new Error(`This host has no tool ${toolName} any more.`)
      finish(await tool.execute(args, { toolCallId, signal, sendUpdate: update }))
    } catch (error) {
      finish({ ...texts(messageOf(error)), isError: true })
    }
    this.calls.delete(id)
  }
}
