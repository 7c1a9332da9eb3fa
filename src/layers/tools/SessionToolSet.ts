/**
 * The tools of one session: its own, those that others register in it, and those of the host. Registered tools stand
 * in the place of an own tool of the same name, else behind the own ones. Tools of the host come last.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type RegisterOptions, type SessionTools, type Tool, ToolRefused } from "../../services/Tools.ts"

interface Sources {
  /** Tools that the session begins with. */
  readonly own: Effect.Effect<ReadonlyArray<Tool>>
  /** Tools of the host by now. */
  readonly offered: Effect.Effect<ReadonlyArray<Tool>>
  /** Whether a tool of this name may be registered to be active. */
  readonly allows?: (name: string) => boolean
  /** What a tool that was found becomes before it is called. */
  readonly guard?: (tool: Tool) => Tool
}

interface Registration {
  readonly tool: Tool
  readonly hidden: boolean
  /** The chosen names that the registration has added its own to. */
  readonly joined?: Set<string>
}

/** The tools at one moment. */
interface View {
  readonly own: ReadonlyArray<Tool>
  readonly offered: ReadonlyArray<Tool>
  readonly all: ReadonlyArray<Tool>
  readonly active: ReadonlyArray<Tool>
  readonly byName: ReadonlyMap<string, Tool>
}

const nameOf = ({ definition }: Tool) => definition.name

const isSame = (one: ReadonlyArray<Tool>, other: ReadonlyArray<Tool>) =>
  one === other || (one.length === other.length && one.every((tool, at) => tool === other[at]))

const taken = (name: string) =>
  new ToolRefused({ reason: "taken", name, message: `Tool "${name}" is already registered; the first one stays` })

export const make = ({ allows = () => true, guard = (tool) => tool, offered, own }: Sources): SessionTools => {
  /** Of several registrations of a name, the last one is in force. */
  const registered = new Map<string, ReadonlyArray<Registration>>()
  /** The names that were chosen with `setActive`; until then all tools are active that are not hidden. */
  let chosen: Set<string> | undefined
  let view: View | undefined

  const inForce = (name: string) => registered.get(name)?.at(-1)

  const isActive = (name: string) => (chosen === undefined ? inForce(name)?.hidden !== true : chosen.has(name))

  const look = (mine: ReadonlyArray<Tool>, hosts: ReadonlyArray<Tool>): View => {
    const byName = new Map(mine.map((tool) => [nameOf(tool), tool]))
    for (const name of registered.keys()) {
      const tool = inForce(name)?.tool
      if (tool !== undefined && allows(name)) byName.set(name, tool)
    }
    const inside = [...byName.values()]
    const ofHosts = hosts.filter((tool) => !byName.has(nameOf(tool)))
    const active = [...inside.filter((tool) => isActive(nameOf(tool))), ...ofHosts]
    const found = new Map(active.map((tool) => [nameOf(tool), tool]))
    return { own: mine, offered: hosts, all: [...inside, ...ofHosts], active, byName: found }
  }

  const current = Effect.zipWith(own, offered, (mine, hosts) => {
    if (view === undefined || !isSame(view.own, mine) || !isSame(view.offered, hosts)) view = look(mine, hosts)
    return view
  })

  const add = (tool: Tool, { hidden = false, replaces = false }: RegisterOptions) => {
    const name = nameOf(tool)
    const before = registered.get(name) ?? []
    if (before.length > 0 && !replaces) return taken(name)
    const joins = before.length === 0 && !hidden && chosen?.has(name) === false
    const registration: Registration = {
      tool,
      hidden,
      ...(joins && chosen !== undefined ? { joined: chosen.add(name) } : {})
    }
    registered.set(name, [...before, registration])
    view = undefined
    return Effect.succeed(registration)
  }

  const remove = (registration: Registration) => {
    const name = nameOf(registration.tool)
    const left = (registered.get(name) ?? []).filter((other) => other !== registration)
    if (left.length > 0) registered.set(name, left)
    else registered.delete(name)
    registration.joined?.delete(name)
    view = undefined
  }

  const register: SessionTools["register"] = (tool, options = {}) =>
    Effect.flatMap(offered, (hosts) => {
      const name = nameOf(tool)
      if (hosts.some((other) => nameOf(other) === name)) return taken(name)
      const added = Effect.suspend(() => add(tool, options))
      return Effect.asVoid(Effect.acquireRelease(added, (registration) => Effect.sync(() => remove(registration))))
    })

  /** The tools that models are offered at the moment: the same array as long as it would hold the same tools. */
  let told: ReadonlyArray<Tool> = []
  const toTell = Effect.flatMap(current, ({ active }) => {
    if (!active.some(({ isOffered }) => isOffered !== undefined)) return Effect.succeed(active)
    return Effect.map(
      Effect.filter(active, ({ isOffered = Effect.succeed(true) }) => isOffered),
      (some) => (told = isSame(told, some) ? told : some)
    )
  })

  return {
    active: toTell,
    find: (name) => Effect.map(current, ({ byName }) => Option.map(Option.fromNullable(byName.get(name)), guard)),
    all: Effect.map(current, ({ all }) => all),
    activeNames: Effect.map(current, ({ active }) => active.map(nameOf)),
    setActive: (names) =>
      Effect.map(current, ({ all }) => {
        const known = new Set(all.map(nameOf))
        chosen = new Set(names.filter((name) => known.has(name)))
        view = undefined
      }),
    register
  }
}
