/** `find` over the `glob` of an extension. */
import * as Effect from "effect/Effect"
import { ToolFailure, type Tool } from "../../../../services/Tools.ts"
import * as ForeignValue from "../../../platform/extensions/ForeignValue.ts"
import * as LocalPaths from "../../../platform/files/LocalPaths.ts"
import * as Truncate from "../../../tools/files/Truncate.ts"
import * as Output from "../../../tools/Tool.ts"
import type { Operations } from "../HostBindings.ts"

const defaultLimit = 1000
const ignore = ["**/node_modules/**", "**/.git/**"]

const failure = (cause: unknown) => new ToolFailure({ message: ForeignValue.textOf(cause) })

const found = (paths: ReadonlyArray<string>, root: string, limit: number) => {
  if (paths.length === 0) return Output.textOutput("No files found matching pattern")
  const lines = paths
    .slice(0, limit)
    .map((path) => (LocalPaths.isAbsolute(path) ? LocalPaths.relative(root, path) : path))
  const cut = Truncate.truncateHead(lines.join("\n"))
  const notice = paths.length >= limit ? `\n\n[${limit} results limit reached. Use limit=${limit * 2} for more.]` : ""
  return Output.textOutput(cut.content + notice, {
    ...(cut.truncated ? { truncation: Truncate.toDetails(cut) } : {}),
    ...(notice === "" ? {} : { resultLimitReached: limit })
  })
}

/** The words and the checks of the built-in tool, the search of the extension. */
export const make = (find: Tool, { exists, glob }: Operations, cwd: string): Tool => ({
  ...find,
  definition: find.definition,
  run: ({ limit, path, pattern }) => {
    if (typeof pattern !== "string" || glob === undefined)
      return failure("Invalid arguments for find: pattern: is missing")
    const root = LocalPaths.ofArgument(typeof path === "string" ? path : ".", { cwd })
    const most = typeof limit === "number" && limit >= 1 ? Math.floor(limit) : defaultLimit
    return Effect.tryPromise({
      try: async () => {
        if (exists !== undefined && !(await exists(root))) throw new Error(`Path not found: ${root}`)
        return found(await glob(pattern, root, { ignore, limit: most }), root, most)
      },
      catch: failure
    })
  }
})
