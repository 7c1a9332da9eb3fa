/**
 * What a session takes from its workspace: the end of its system prompt, read once and kept in the session, and the slash
 * commands of skills and prompt templates. Owned by the session's scope; nothing is read before it is needed.
 */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type { AgentEvent } from "../../../../domain/conversation/AgentEvent.ts"
import * as PromptEntry from "../../../../domain/session/PromptEntry.ts"
import { defined } from "../../../../domain/Values.ts"
import type { SessionCommands, SlashCommand } from "../../../../services/session/modules/Commands.ts"
import type { SessionOpening } from "../../../../services/hooks/HookPoints.ts"
import type { Session } from "../../../../services/session/Session.ts"
import type { PromptOptions } from "../../../../services/session/SessionOptions.ts"
import type { Tool } from "../../../../services/Tools.ts"
import { type Read, Workspace } from "../../../../services/Workspace.ts"
import * as Asking from "../hooks/Asking.ts"
import type { HookRegistry } from "../hooks/HookRegistry.ts"
import { inFiber } from "../../../Sharing.ts"
import * as SystemPrompt from "./SystemPrompt.ts"

interface Dependencies {
  readonly session: typeof Session.Service
  readonly hooks: HookRegistry
  readonly commands: Pick<SessionCommands, "find" | "register">
  readonly publish: (event: AgentEvent) => void
  /** Starts a fiber of the session. */
  readonly fork: <A>(effect: Effect.Effect<A>) => Fiber.RuntimeFiber<A>
  readonly opening: SessionOpening
}

export interface Instructions {
  /** The system prompt of the session with these tools. */
  readonly prompt: (tools: ReadonlyArray<Tool>) => Effect.Effect<string>
  /** The same for a model call: what it is made of is in the session when this returns. */
  readonly promptForCall: (tools: ReadonlyArray<Tool>) => Effect.Effect<string>
  /** Reads what the prompt is made of, the first time it is run: it can be had at once from then on. */
  readonly read: Effect.Effect<void>
  readonly isRead: () => boolean
  /** Registers the commands of the workspace, the first time it is run. Contributors have joined by then. */
  readonly load: Effect.Effect<void>
  readonly isLoaded: () => boolean
}

/** A session without a workspace has nothing to wait for. */
const plain = (options: PromptOptions): Instructions => {
  const render = SystemPrompt.make(options)
  const prompt: Instructions["prompt"] = (tools) => Effect.sync(() => render(tools))
  return {
    prompt,
    promptForCall: prompt,
    read: Effect.void,
    isRead: () => true,
    load: Effect.void,
    isLoaded: () => true
  }
}

/** A template does not take the name of a command that an extension has registered. */
const add = Effect.fnUntraced(function* (
  commands: Dependencies["commands"],
  { problems, value }: Read<ReadonlyArray<SlashCommand>>,
  tell: (problems: ReadonlyArray<string>) => void
) {
  const taken: Array<string> = []
  for (const command of value) {
    if (Option.isSome(yield* commands.find(command.name)))
      taken.push(`${command.sourceInfo.path} was left out: an extension has a command "${command.name}", too`)
    else yield* commands.register(command)
  }
  tell([...problems, ...taken])
})

/** Tells the user of each problem once: skills are looked at for the prompt and for the commands. */
const makeTell = (publish: Dependencies["publish"]) => {
  const told = new Set<string>()
  return (problems: ReadonlyArray<string>) => {
    const fresh = problems.filter((problem) => !told.has(problem))
    if (fresh.length === 0) return
    for (const problem of fresh) told.add(problem)
    publish({ _tag: "Notice", level: "warning", message: fresh.join("\n"), source: "workspace" })
  }
}

export const make = Effect.fnUntraced(function* (
  { commands, fork, hooks, opening, publish, session }: Dependencies,
  options: PromptOptions
) {
  const open = yield* Workspace
  if (open === undefined) return plain(options)
  const scope = yield* Effect.scope
  const tell = makeTell(publish)
  const { header } = yield* session.info
  // Hooks join later than this.
  const resources = Effect.suspend(() => Asking.resources(hooks, opening))
  const workspace = open({ beganAt: header.timestamp, resources })

  const read = Effect.map(workspace.prompt, ({ problems, value }) => {
    tell(problems)
    return { cwd: options.cwd, ...value }
  })
  const known = Effect.map(session.entries, (entries) => PromptEntry.find(entries, options.cwd))
  const kept = inFiber<PromptEntry.KeptPrompt>(
    fork,
    Effect.flatMap(known, (found) => (found === undefined ? read : Effect.succeed(found)))
  )
  const loaded = inFiber<void>(
    fork,
    Effect.flatMap(workspace.commands, (found) => Scope.extend(add(commands, found, tell), scope))
  )

  let render: SystemPrompt.SystemPrompt | undefined
  const renderer = Effect.map(kept.get, ({ append, replace, text }) => {
    const said = defined({ replace, append })
    render ??= SystemPrompt.make({ ...said, ...options, workspace: text })
    return render
  })

  /** Another one after a handoff, whose log begins without the entry. */
  let keptIn: string | undefined
  const keep = Effect.gen(function* () {
    const { epoch } = yield* session.info
    if (epoch === keptIn) return
    const prompt = yield* kept.get
    if ((yield* known) === undefined) yield* Effect.uninterruptible(session.append(PromptEntry.entryOf(prompt)))
    keptIn = epoch
  })

  const instructions: Instructions = {
    prompt: (tools) => Effect.map(renderer, (render) => render(tools)),
    promptForCall: (tools) =>
      Effect.zipRight(
        keep,
        Effect.map(renderer, (render) => render(tools))
      ),
    read: Effect.asVoid(kept.get),
    isRead: kept.isDone,
    load: loaded.get,
    isLoaded: loaded.isDone
  }
  return instructions
})
