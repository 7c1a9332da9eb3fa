/** Slash commands that an extension brings. */
import * as Effect from "effect/Effect"
import { defined } from "../../../domain/Values.ts"
import { type Completion, type SlashCommand, SlashCommandFailed } from "../../../services/session/modules/Commands.ts"
import * as Call from "../../machine/foreign/Call.ts"
import * as ForeignCall from "../../machine/foreign/ForeignCall.ts"
import * as Nesting from "../../machine/foreign/Nesting.ts"
import * as CommandContext from "../context/CommandContext.ts"
import type { Instance } from "../instance/Instance.ts"
import { handlerIn, isRecord, textIn, wantRecord, wantText } from "../instance/Values.ts"
import * as Slots from "./Slots.ts"

/** More completions than anybody looks through are cut. */
const mostCompletions = 1000

const completionOf = (item: unknown): ReadonlyArray<Completion> => {
  if (typeof item === "string") return [{ value: item, label: item }]
  const value = isRecord(item) ? textIn(item, "value") : undefined
  if (!isRecord(item) || value === undefined) return []
  return [{ value, label: textIn(item, "label") ?? value, ...defined({ description: textIn(item, "description") }) }]
}

const completionsOf = (items: unknown): ReadonlyArray<Completion> => {
  if (!Array.isArray(items)) return []
  return Array.from({ length: Math.min(items.length, mostCompletions) }, (_, at) => completionOf(items[at])).flat()
}

const commandOf = (instance: Instance, name: string, given: unknown): SlashCommand => {
  const definition = wantRecord(given, `registerCommand: the options of ${name}`)
  const handler = handlerIn(definition, "handler")
  if (handler === undefined) throw new TypeError(`registerCommand: ${name} needs a function handler`)
  const complete = handlerIn(definition, "getArgumentCompletions")
  const { extension, located, report } = instance
  const run = (args: string, nesting?: number) =>
    Effect.suspend(() => {
      const call = Call.make()
      const handle = () => handler(args, CommandContext.make(instance, call))
      return ForeignCall.run(() => Nesting.within(nesting, handle), call.abort)
    }).pipe(
      Effect.zipRight(instance.bridge.idle),
      Effect.mapError((failure) => new SlashCommandFailed({ command: name, ...located(failure) }))
    )
  const completions = (prefix: string) =>
    ForeignCall.run(() => complete?.(prefix)).pipe(
      Effect.flatMap((items) => ForeignCall.read(() => completionsOf(items))),
      Effect.catchAll((failure) =>
        Effect.as(
          Effect.sync(() => report("getArgumentCompletions", failure)),
          []
        )
      )
    )
  return {
    name,
    ...defined({ description: textIn(definition, "description"), argumentHint: textIn(definition, "argumentHint") }),
    source: "extension",
    sourceInfo: extension.sourceInfo,
    action: { _tag: "Run", run },
    ...(complete === undefined ? {} : { complete: completions })
  }
}

export const make = (instance: Instance) => {
  const { bridge, needActive, needLive, ports } = instance
  const slots = Slots.make(instance, "registerCommand")
  return {
    registerCommand: (given: unknown, definition: unknown) => {
      needLive()
      const name = wantText(given, "registerCommand: name").replace(/^\//, "")
      const command = commandOf(instance, name, definition)
      slots.put(name, () => ports.commands.register(command))
    },
    getCommands: () => {
      needActive("getCommands")
      return bridge
        .read(ports.commands.list)
        .map(({ description, name, source, sourceInfo }) => ({ name, ...defined({ description }), source, sourceInfo }))
    }
  }
}
