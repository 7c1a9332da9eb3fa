/**
 * Slash commands at the start of a message: carried out in place of a run, or replaced by the text that they stand for.
 * Owns the fibers of commands that are carried out.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type { AgentEvent, PromptEnd, RequestId } from "../../../domain/conversation/AgentEvent.ts"
import { defined } from "../../../domain/Values.ts"
import * as Text from "../../../domain/Text.ts"
import { CommandNotQueueable, type MessageInput } from "../../../services/Agent.ts"
import {
  type SessionCommands,
  type SlashCommand,
  SlashCommandFailed
} from "../../../services/session/modules/Commands.ts"
import * as Supervision from "../../../services/supervision/Supervision.ts"
import * as EventLoop from "../../machine/engine/EventLoop.ts"
import * as RunNodes from "../core/RunNodes.ts"

interface Dependencies {
  readonly commands: Pick<SessionCommands, "find" | "list">
  readonly supervision: Supervision.Supervision
  readonly publish: (event: AgentEvent) => void
}

/** A command that is carried out. */
export interface Carried {
  /** How it ended; undefined while it goes on. */
  readonly end: () => PromptEnd | undefined
  /** Calls back when the command ends, at once if it has ended. */
  readonly whenEnded: (report: Report) => void
}

export type SlashCommands = Effect.Effect.Success<ReturnType<typeof make>>

interface Named {
  readonly command: SlashCommand
  readonly args: string
}

const pattern = /^\/(\S+)\s?([^]*)$/

const completed: PromptEnd = { status: "completed" }
const longestError = 4000
/** Skills that the refusal of an unknown one names. */
const mostNamed = 10

const errorOf = (cause: Cause.Cause<SlashCommandFailed>): string => {
  const failure = Cause.squash(cause)
  return Text.clip(failure instanceof Error ? failure.message : String(failure), longestError)
}

type Report = (end: PromptEnd) => void

/** A command that was started, and its node in the supervision tree. */
interface Started {
  node?: Supervision.LiveNode | undefined
  end?: PromptEnd
  report?: Report
}

/** A command may count as ended before it is. Only the first end is reported. */
const finish = (command: Started, end: PromptEnd) => {
  if (command.end !== undefined) return
  command.end = end
  command.report?.(end)
}

export const make = Effect.fnUntraced(function* ({ commands, publish, supervision }: Dependencies) {
  const scope = yield* Scope.make()
  const fibers = yield* Scope.extend(FiberSet.make<void, SlashCommandFailed>(), scope)
  const fork = yield* FiberSet.runtime(fibers)<never>()
  /** Without its fiber as long as it has not waited for anything. */
  const running = new Map<Started, Fiber.RuntimeFiber<void, SlashCommandFailed> | undefined>()

  const endOf = (name: string, exit: Exit.Exit<void, SlashCommandFailed>): PromptEnd => {
    if (Exit.isSuccess(exit)) return completed
    if (Cause.isInterruptedOnly(exit.cause)) return { status: "aborted" }
    const error = errorOf(exit.cause)
    const location = Option.getOrUndefined(Cause.failureOption(exit.cause))?.location
    const told = { error, ...defined({ location }) }
    publish({ _tag: "ExtensionFailed", extensionPath: `command:${name}`, event: "command", ...told })
    return { status: "error", error: { message: error, retryable: false } }
  }

  const start = (name: string, run: Effect.Effect<void, SlashCommandFailed>, requestId: RequestId | undefined) => {
    const started: Started = {}
    running.set(started, undefined)
    const fiber = fork(
      RunNodes.slashCommand(supervision, { name, requestId }, (node) => {
        started.node = node
        return run
      })
    )
    running.set(started, fiber)
    fiber.addObserver((exit) => {
      running.delete(started)
      finish(started, endOf(name, exit))
    })
    return { started, fiber }
  }

  const named = ({ literal, noCommand, text }: MessageInput): Effect.Effect<Named | undefined> => {
    const [, name, args = ""] = literal === true || noCommand === true ? [] : (pattern.exec(text) ?? [])
    if (name === undefined) return Effect.succeed(undefined)
    return Effect.map(commands.find(name), (found) =>
      Option.isSome(found) ? { command: found.value, args } : undefined
    )
  }

  /** Starts the command that the message names, if it names one. */
  const begin = (input: MessageInput, begun: () => void) =>
    Effect.map(named(input), (asked) => {
      if (asked?.command.action._tag !== "Run") return Option.none()
      const { args, command } = asked
      const { run } = asked.command.action
      begun()
      const { fiber, started } = start(
        command.name,
        Effect.suspend(() => run(args, input.nesting)),
        input.requestId
      )
      const carried: Carried = {
        end: () => started.end,
        whenEnded: (report) => {
          if (started.end === undefined) started.report = report
          else report(started.end)
        }
      }
      return Option.some({ carried, fiber })
    })

  /** The same; a command that ends within one turn of the event loop has ended when this returns. */
  const carryOut = (input: MessageInput, begun: () => void): Effect.Effect<Option.Option<Carried>> =>
    Effect.flatMap(
      begin(input, begun),
      Option.match({
        onNone: () => Effect.succeedNone,
        onSome: ({ carried, fiber }) => {
          if (carried.end() !== undefined) return Effect.succeedSome(carried)
          const waited = Effect.onInterrupt(EventLoop.nextTurn, () => Fiber.interrupt(fiber))
          return Effect.as(waited, Option.some(carried))
        }
      })
    )

  /** Nobody begins a message so who does not mean a skill, and the model could not tell what is missing. */
  const refuseUnknownSkill = Effect.fnUntraced(function* ({ literal, text }: MessageInput) {
    const name = literal === true ? undefined : /^\/(skill:\S*)/.exec(text)?.[1]
    if (name === undefined) return
    const known = (yield* commands.list).filter(({ source }) => source === "skill").map((skill) => `/${skill.name}`)
    const more = known.length > mostNamed ? ", …" : ""
    const hint =
      known.length === 0 ? "No skills were found." : `Those there are: ${known.slice(0, mostNamed).join(", ")}${more}`
    return yield* new SlashCommandFailed({ command: name, message: `There is no such skill. ${hint}` })
  })

  /** The message with the text that its command stands for. */
  const expand = <Input extends MessageInput>(input: Input): Effect.Effect<Input, SlashCommandFailed> =>
    Effect.flatMap(named(input), (asked) => {
      if (asked === undefined) return Effect.as(refuseUnknownSkill(input), input)
      if (asked.command.action._tag !== "Expand") return Effect.succeed(input)
      return Effect.map(asked.command.action.expand(asked.args), (text) => ({ ...input, text }))
    })

  /** Refuses a message for the queue that names a command to be carried out. */
  const queueable = (input: MessageInput): Effect.Effect<void, CommandNotQueueable> =>
    Effect.flatMap(named(input), (asked) =>
      asked?.command.action._tag === "Run" ? new CommandNotQueueable({ command: asked.command.name }) : Effect.void
    )

  /**
   * Ends all commands, but for the one that asks for it, such as a command that changes the session: it counts as
   * completed, and comes to its own end. To interrupt it from within would wait for ever.
   */
  const end = Effect.gen(function* () {
    const asker = yield* Supervision.currentNode
    const others: Array<Fiber.RuntimeFiber<void, SlashCommandFailed>> = []
    for (const [command, fiber] of running) {
      if (Supervision.isWithin(asker, command.node)) finish(command, completed)
      if (command.end === undefined && fiber !== undefined) others.push(fiber)
    }
    yield* Fiber.interruptAll(others)
  })

  const close = Effect.suspend(() => (running.size === 0 ? Scope.close(scope, Exit.void) : Effect.void))
  yield* Effect.addFinalizer(() => Effect.zipRight(end, close))

  return { carryOut, expand, queueable, end }
})
