/** Makes a Tool from a host tool: checks the arguments, keeps the deadline, words the failures. */
import * as Effect from "effect/Effect"
import type { JsonObject } from "../../../domain/conversation/Content.ts"
import type { ToolOutput } from "../../../domain/conversation/Message.ts"
import type { HostTool } from "../../../services/host/HostTools.ts"
import { HostToolRefused } from "../../../services/host/HostToolRefused.ts"
import * as Stopwatch from "../../../services/Stopwatch.ts"
import { keepingProgress, type Tool, type ToolContext, ToolFailure } from "../../../services/Tools.ts"
import * as ArgumentCheck from "./ArgumentCheck.ts"
import * as SchemaCheck from "./SchemaCheck.ts"

/** Ends the call after this time without progress. */
const withDeadline = Effect.fnUntraced(function* (
  { call, name }: HostTool,
  timeoutMs: number,
  args: JsonObject,
  context: ToolContext
) {
  let heardAt = yield* Stopwatch.reading
  const progress = (output: ToolOutput) =>
    Effect.flatMap(Stopwatch.reading, (now) => {
      heardAt = now
      return context.progress(output)
    })
  const expired = Effect.gen(function* () {
    while (true) {
      const left = heardAt + timeoutMs - (yield* Stopwatch.reading)
      if (left <= 0) return yield* new ToolFailure({ message: `Host tool "${name}" timed out after ${timeoutMs} ms` })
      yield* Effect.sleep(left)
    }
  })
  return yield* Effect.raceFirst(call(args, { ...context, progress }), expired)
})

export const toTool = (tool: HostTool): Tool => {
  const { description, name, parameters, timeoutMs } = tool
  const check = (args: JsonObject) =>
    Effect.suspend(() => {
      const problem = ArgumentCheck.problemOf(parameters, args)
      if (problem === undefined) return Effect.succeed(undefined)
      return new ToolFailure({ message: `Invalid arguments for ${name}: ${problem}` })
    })
  return {
    definition: { name, description, parameters },
    concurrency: "shared",
    origin: "host",
    get abortedText() {
      return tool.abortedText?.() ?? `Host tool "${name}" was aborted`
    },
    preview: check,
    run: Effect.fn("HostTool.run")(function* (args: JsonObject, context: ToolContext) {
      yield* check(args)
      return yield* keepingProgress(context, (kept) =>
        timeoutMs === undefined ? tool.call(args, kept) : withDeadline(tool, timeoutMs, args, kept)
      )
    })
  }
}

/** The names of a set, if they are unique, none is taken, and the schemas can be used. */
export const check = (tools: ReadonlyArray<HostTool>, taken: ReadonlySet<string>) => {
  const names = tools.map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) return new HostToolRefused({ reason: "duplicate", name: twice })
  const conflict = names.find((name) => taken.has(name))
  if (conflict !== undefined) return new HostToolRefused({ reason: "conflict", name: conflict })
  for (const { name, parameters } of tools) {
    const detail = SchemaCheck.problemOf(parameters)
    if (detail !== undefined) return new HostToolRefused({ reason: "parameters", name, detail })
  }
  return Effect.succeed(names)
}
