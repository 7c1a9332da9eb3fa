/** Functions of pi that look at an event or hand a value on, mostly for its type. */

interface ToolEvent {
  readonly toolName: string
}

const resultOf =
  (name: string) =>
  ({ toolName }: ToolEvent): boolean =>
    toolName === name

export const isToolCallEventType = (name: string, { toolName }: ToolEvent): boolean => toolName === name
export const isBashToolResult = resultOf("bash")
export const isReadToolResult = resultOf("read")
export const isEditToolResult = resultOf("edit")
export const isWriteToolResult = resultOf("write")
export const isGrepToolResult = resultOf("grep")
export const isFindToolResult = resultOf("find")
export const isLsToolResult = resultOf("ls")
export const isPowerShellToolResult = resultOf("powershell")

export const defineTool = <A>(tool: A): A => tool

/** `:10-19` for a read from line 10 with a limit of 10. */
export const formatReadLineRange = (offset: unknown, limit: unknown): string => {
  if (typeof offset !== "number" && typeof limit !== "number") return ""
  const first = typeof offset === "number" ? offset : 1
  return typeof limit === "number" ? `:${first}-${first + limit - 1}` : `:${first}`
}

export const createSyntheticSourceInfo = (
  path: string,
  options: { readonly source: string; readonly scope?: string; readonly origin?: string; readonly baseDir?: string }
) => ({ path, scope: "temporary", origin: "top-level", ...options })
