/** Tools that the host runs for the model (protocol.md 11.1). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { HostTools } from "../../services/host/HostTools.ts"
import { ToolSet } from "../../services/Tools.ts"
import * as Command from "../Command.ts"
import { AnyDefinition, readDefinitions } from "../protocol/HostToolFrames.ts"

/** The names of the tools that no host has registered. */
const reservedNames = Effect.gen(function* () {
  const tools = yield* Effect.flatMap(ToolSet, ({ all }) => all)
  const ofHosts = new Set(yield* Effect.flatMap(HostTools, ({ active }) => active))
  return tools.filter((tool) => !ofHosts.has(tool)).map(({ definition }) => definition.name)
})

const refused = (code: string) => (message: string) => new Command.CommandFailure({ code, message })

const setHostTools = Command.make({
  name: "set_host_tools",
  lane: "waiting",
  summary: "Registers the tools that the host runs. They replace all that it had registered; `[]` removes them.",
  notes:
    "The model is offered them from its next call on, also inside a run; a `hidden` tool is registered but not offered. " +
    "Calls come as `host_tool_call` and are answered by `host_tool_result`, see [hosts/host-tools.md](hosts/host-tools.md). " +
    "`timeoutMs` is the longest time without progress. If one definition is refused, the old tools stay; a refused JSON Schema is named with its tool and the place in it.",
  origin: ["omp", "xcsh"],
  params: Schema.Struct({ tools: Schema.Array(AnyDefinition) }),
  result: Schema.Struct({ toolNames: Schema.Array(Schema.String) }),
  errors: ["tool_conflict"],
  run: Effect.fnUntraced(function* ({ tools }, { hostTools }) {
    const definitions = yield* Effect.mapError(readDefinitions(tools), refused("invalid_params"))
    const toolNames = yield* Effect.mapError(
      hostTools.replace(definitions.map(hostTools.toTool), yield* reservedNames),
      ({ message, name, reason }) => {
        if (reason === "parameters") return refused("invalid_params")(message)
        return reason === "duplicate"
          ? refused("invalid_params")("RPC host tool names must be unique")
          : refused("tool_conflict")(`RPC host tool "${name}" conflicts with an existing tool`)
      }
    )
    return { toolNames }
  })
})

export const commands = [setHostTools]
