/** The tools of this host: functions by name. Each call gets a signal that fires when heddle cancels the call. */
import { type Frame, member, text } from "./Frame.ts"

export interface HostTool {
  readonly description: string
  /** A JSON Schema. heddle sends only arguments that match it. */
  readonly parameters: object
  readonly run: (args: unknown, signal: AbortSignal) => Promise<string>
}

export const make = (tools: Readonly<Record<string, HostTool>>, send: (frame: object) => void) => {
  const calls = new Map<string, AbortController>()

  const answer = async (id: string, tool: HostTool | undefined, args: unknown, signal: AbortSignal) => {
    const said = (text: string, isError: boolean) => ({ result: { content: [{ type: "text", text }] }, isError })
    const result =
      tool === undefined
        ? said("this tool is gone", true)
        : await tool.run(args, signal).then(
            (text) => said(text, false),
            (error: unknown) => said(String(error), true)
          )
    // heddle ignores the result of a cancelled call.
    if (calls.delete(id)) send({ type: "host_tool_result", id, ...result })
  }

  return {
    /** For `set_host_tools`. */
    definitions: Object.entries(tools).map(([name, { description, parameters }]) => ({
      name,
      description,
      parameters
    })),
    /** Takes every event and acts on those about host tools. */
    receive: (frame: Frame): void => {
      if (frame.type === "host_tool_cancel") {
        const target = text(frame, "targetId")
        calls.get(target)?.abort()
        calls.delete(target)
      }
      if (frame.type !== "host_tool_call") return
      const [id, call] = [text(frame, "id"), new AbortController()]
      calls.set(id, call)
      void answer(id, tools[text(frame, "toolName")], member(frame, "arguments"), call.signal)
    }
  }
}
