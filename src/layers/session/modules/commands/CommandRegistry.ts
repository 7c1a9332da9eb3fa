/** The slash commands of one session, in memory. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AgentEvent } from "../../../../domain/conversation/AgentEvent.ts"
import * as Text from "../../../../domain/Text.ts"
import type { SessionCommands, SlashCommand } from "../../../../services/session/modules/Commands.ts"
import * as Stopwatch from "../../../../services/Stopwatch.ts"
import * as EventLoop from "../../../machine/engine/EventLoop.ts"

interface Dependencies {
  readonly publish: (event: AgentEvent) => void
  /** Starts an effect that nothing waits for, in a fiber of the session. */
  readonly detach: (effect: Effect.Effect<void>) => void
}

const sources = ["extension", "prompt", "skill"] as const

/** A menu shows no more of a text. */
const longest = 2000

/** Longer lists are published with pauses, of so many milliseconds for each command. */
const mostAtOnce = 50
const quietMs = 0.1

const clip = (text: string) => Text.clip(text, longest)

const clipped = (command: SlashCommand): SlashCommand => {
  const { argumentHint, description } = command
  return {
    ...command,
    ...(description === undefined ? {} : { description: clip(description) }),
    ...(argumentHint === undefined ? {} : { argumentHint: clip(argumentHint) })
  }
}

interface Entry {
  readonly command: SlashCommand
}

/** Entries by the name that they were registered with, in the order of registration. */
type Groups = Map<string, Set<Entry>>

/** A command of an extension takes the place of a template or skill of the same name for as long as it is registered. */
const inForce = (group: Iterable<Entry>): ReadonlyArray<Entry> => {
  const all = [...group]
  const ofExtensions = all.filter(({ command }) => command.source === "extension")
  return ofExtensions.length === 0 ? all : ofExtensions
}

/** The names under which the commands of a group are found. */
const namesOf = (groups: Groups, name: string): ReadonlyMap<Entry, string> => {
  const group = inForce(groups.get(name) ?? [])
  const names = new Map<Entry, string>()
  let number = 0
  // An author may have called a command `name:1`.
  const next = () => {
    do number++
    while (groups.has(`${name}:${number}`))
    return `${name}:${number}`
  }
  for (const entry of group) names.set(entry, group.length === 1 ? name : next())
  return names
}

interface View {
  readonly named: ReadonlyMap<string, SlashCommand>
  readonly list: ReadonlyArray<SlashCommand>
}

const viewOf = (entries: ReadonlySet<Entry>, groups: Groups): View => {
  const names = new Map<Entry, string>()
  for (const group of groups.keys()) for (const [entry, name] of namesOf(groups, group)) names.set(entry, name)
  const named = new Map<string, SlashCommand>()
  for (const entry of entries) {
    const name = names.get(entry)
    if (name === undefined) continue
    named.set(name, name === entry.command.name ? entry.command : { ...entry.command, name })
  }
  const all = [...named.values()]
  return { named, list: sources.flatMap((source) => all.filter((command) => command.source === source)) }
}

export const make = ({ detach, publish }: Dependencies): Omit<SessionCommands, "load" | "isLoaded"> => {
  const entries = new Set<Entry>()
  const groups: Groups = new Map()
  let view: View | undefined
  const current = () => (view ??= viewOf(entries, groups))

  let isDue = false
  let quietUntil = 0
  /** The frame has the whole list: the longer it is, the longer the next one waits. */
  const announce = Effect.gen(function* () {
    yield* EventLoop.nextTurn
    const early = quietUntil - (yield* Stopwatch.reading)
    if (early > 0) yield* Effect.sleep(early)
    isDue = false
    const { list } = current()
    publish({ _tag: "CommandsChanged", commands: list })
    if (list.length > mostAtOnce) quietUntil = (yield* Stopwatch.reading) + list.length * quietMs
  })
  const changed = () => {
    view = undefined
    if (isDue) return
    isDue = true
    detach(announce)
  }

  const add = (command: SlashCommand) => {
    const entry: Entry = { command: clipped(command) }
    const group = groups.get(command.name) ?? new Set()
    groups.set(command.name, group.add(entry))
    entries.add(entry)
    changed()
    return entry
  }
  const remove = (entry: Entry) => {
    const { name } = entry.command
    const group = groups.get(name)
    group?.delete(entry)
    if (group?.size === 0) groups.delete(name)
    entries.delete(entry)
    changed()
  }

  return {
    list: Effect.sync(() => current().list),
    find: (name) => Effect.sync(() => Option.fromNullable(current().named.get(name))),
    register: (command) =>
      Effect.acquireRelease(
        Effect.sync(() => add(command)),
        (entry) => Effect.sync(() => remove(entry))
      ).pipe(Effect.map((entry) => namesOf(groups, command.name).get(entry) ?? command.name))
  }
}
