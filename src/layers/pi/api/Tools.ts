/** Tools that an extension brings, and the set of active ones. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { JsonObject } from "../../../domain/conversation/Content.ts"
import { text } from "../../../domain/conversation/Content.ts"
import type { ToolOutput } from "../../../domain/conversation/Message.ts"
import { defined } from "../../../domain/Values.ts"
import { type ToolContext, ToolFailure } from "../../../services/Tools.ts"
import * as Call from "../../machine/foreign/Call.ts"
import * as ForeignCall from "../../machine/foreign/ForeignCall.ts"
import { shown } from "../../machine/foreign/ForeignValue.ts"
import type { ForeignTool, ToolSummary } from "../Ports.ts"
import * as Context from "../context/Context.ts"
import type { Instance } from "../instance/Instance.ts"
import {
  contentOf,
  copyOf,
  handlerIn,
  isRecord,
  plainOf,
  textIn,
  textsIn,
  wantRecord,
  wantText
} from "../instance/Values.ts"
import * as Slots from "./Slots.ts"

const outputOf = (partial: unknown): ToolOutput | undefined => {
  if (!isRecord(partial)) return undefined
  const content = contentOf(partial["content"])
  if (content === undefined) return undefined
  const { details } = partial
  return { content: typeof content === "string" ? [text(content)] : content, ...(isRecord(details) ? { details } : {}) }
}

/** Reports progress one at a time: while a report waits for a slow host, only the newest of the later ones is kept. */
const makeProgress = ({ bridge, report }: Instance, context: Pick<ToolContext, "progress">) => {
  let latest: ToolOutput | undefined
  let isReporting = false
  let isOver = false
  const drain: Effect.Effect<void> = Effect.suspend(() => {
    const output = latest
    latest = undefined
    if (output !== undefined) return Effect.zipRight(context.progress(output), drain)
    isReporting = false
    return Effect.void
  })
  return {
    onUpdate: (partial: unknown) => {
      const output = isOver ? undefined : outputOf(partial)
      if (output === undefined) return
      latest = output
      if (isReporting) return
      isReporting = true
      bridge.fireAtOnce(drain, (message) => report("tool_update", message))
    },
    /** What the tool still says after its end is not heard. */
    end: () => {
      isOver = true
    }
  }
}

const executing = (instance: Instance, definition: JsonObject, name: string): ForeignTool["execute"] => {
  const execute = handlerIn(definition, "execute")
  if (execute === undefined) throw new TypeError(`registerTool: ${name} needs a function execute`)
  return (args, context) =>
    Effect.suspend(() => {
      const call = Call.make()
      const progress = makeProgress(instance, context)
      const ctx = Context.make(instance, call)
      return ForeignCall.run(
        () => execute(context.toolCallId, args, call.signal(), progress.onUpdate, ctx),
        call.abort
      ).pipe(
        Effect.zipLeft(instance.bridge.idle),
        Effect.mapError(({ message }) => new ToolFailure({ message })),
        Effect.ensuring(Effect.sync(progress.end))
      )
    })
}

const prepared = (prepare: () => unknown): unknown =>
  Either.getOrThrowWith(
    ForeignCall.read(() => plainOf(prepare())),
    ({ message }) => new TypeError(message)
  )

const toolOf = (instance: Instance, value: unknown): ForeignTool => {
  const definition = wantRecord(value, "registerTool: the tool")
  const name = wantText(definition["name"], "registerTool: name")
  const isExclusive = definition["executionMode"] === "sequential" || definition["concurrency"] === "exclusive"
  const prepareArguments = handlerIn(definition, "prepareArguments")
  return {
    name,
    label: textIn(definition, "label") ?? name,
    description: textIn(definition, "description") ?? "",
    parameters: definition["parameters"],
    ...defined({
      promptSnippet: textIn(definition, "promptSnippet"),
      promptGuidelines: textsIn(definition, "promptGuidelines")
    }),
    hidden: definition["hidden"] === true || definition["defaultActive"] === false,
    concurrency: isExclusive ? "exclusive" : "shared",
    source: instance.extension.sourceInfo,
    ...(prepareArguments === undefined ? {} : { prepareArguments: (args) => prepared(() => prepareArguments(args)) }),
    execute: executing(instance, definition, name)
  }
}

const builtIn = (name: string) => ({
  path: `<builtin:${name}>`,
  source: "builtin",
  scope: "temporary",
  origin: "top-level"
})

const infoOf = ({ description, name, parameters, promptGuidelines, source }: ToolSummary) => ({
  name,
  description,
  parameters: copyOf(parameters),
  ...defined({ promptGuidelines: promptGuidelines?.slice() }),
  exposure: "direct",
  sourceInfo: source ?? builtIn(name)
})

export const make = (instance: Instance) => {
  const { bridge, needActive, needLive, ports, report } = instance
  const slots = Slots.make(instance, "registerTool")
  return {
    registerTool: (definition: unknown) => {
      needLive()
      const tool = toolOf(instance, definition)
      slots.put(tool.name, () => ports.tools.register(tool))
    },
    getActiveTools: () => {
      needActive("getActiveTools")
      return [...bridge.read(ports.tools.activeNames)]
    },
    getAllTools: () => {
      needActive("getAllTools")
      return bridge.read(ports.tools.all).map(infoOf)
    },
    setActiveTools: (names: unknown) => {
      needActive("setActiveTools")
      if (!Array.isArray(names)) throw new TypeError("setActiveTools: names must be an array of texts")
      bridge.fire(ports.tools.setActive(Array.from(names, shown)), (message) => report("setActiveTools", message))
    }
  }
}
