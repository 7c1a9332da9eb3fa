/** pi's factories of built-in tools: objects with the tool's words and an `execute` that runs it in this process. */
import type { JsonObject } from "../../../../domain/conversation/Content.ts"
import type { Holder, PiToolResult, ToolName, ToolOptions } from "../HostBindings.ts"

type Options = Omit<ToolOptions, "cwd">
type AllOptions = Partial<Readonly<Record<ToolName, Options>>>

const names: ReadonlyArray<ToolName> = ["read", "bash", "edit", "write", "grep", "find", "ls"]
const coding: ReadonlyArray<ToolName> = ["read", "bash", "edit", "write"]
const readOnly: ReadonlyArray<ToolName> = ["read", "grep", "find", "ls"]

/** Edits and writes of one batch wait for each other. */
const exclusive: ReadonlyArray<ToolName> = ["edit", "write"]

const capital = (name: string) => name.slice(0, 1).toUpperCase() + name.slice(1)

export const make = (holder: Holder): Readonly<Record<string, unknown>> => {
  const tool = (name: ToolName, cwd: string, options: Options = {}) => {
    const bound = () => holder.get().tools.make(name, { ...options, cwd })
    return {
      name,
      label: name,
      // Getters, because older versions of pi export ready-made tools, and most extensions never look at them.
      get description() {
        return bound().description
      },
      get parameters() {
        return bound().parameters
      },
      ...(exclusive.includes(name) ? { executionMode: "sequential" } : {}),
      execute: async (
        toolCallId: string,
        params: JsonObject,
        signal?: AbortSignal,
        onUpdate?: (partial: PiToolResult) => void
      ) => bound().execute(params, { toolCallId, signal, onUpdate })
    }
  }
  const factory = (name: ToolName) => (cwd?: string, options?: Options) => tool(name, cwd ?? holder.get().cwd, options)
  const several =
    (wanted: ReadonlyArray<ToolName>) =>
    (cwd?: string, options: AllOptions = {}) =>
      wanted.map((name) => factory(name)(cwd, options[name]))
  const single = names.flatMap((name) => [
    [`create${capital(name)}Tool`, factory(name)] as const,
    [`create${capital(name)}ToolDefinition`, factory(name)] as const,
    [`${name}Tool`, factory(name)()] as const,
    [`${name}ToolDefinition`, factory(name)()] as const
  ])
  return {
    ...Object.fromEntries<unknown>(single),
    createCodingTools: several(coding),
    createReadOnlyTools: several(readOnly),
    codingTools: several(coding)(),
    readOnlyTools: several(readOnly)(),
    createLocalBashOperations: () => ({
      exec: (...call: Parameters<ReturnType<Holder["get"]>["tools"]["exec"]>) => holder.get().tools.exec(...call)
    }),
    withFileMutationQueue: <A>(path: string, work: () => Promise<A>) => holder.get().tools.exclusively(path, work)
  }
}
