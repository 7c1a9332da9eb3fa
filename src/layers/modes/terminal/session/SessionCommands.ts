/** Starting, finding, naming, shortening and exporting sessions. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Text from "../../../../domain/Text.ts"
import { Agent } from "../../../../services/Agent.ts"
import { type CompactionFailed, isTooSmall } from "../../../../services/session/modules/Compaction.ts"
import { SessionExport } from "../../../../services/storage/SessionExport.ts"
import { Sessions } from "../../../../services/session/Sessions.ts"
import type { SessionSummary } from "../../../../services/storage/SessionStore.ts"
import { type Command, completions } from "./Command.ts"
import { explain } from "./Talk.ts"

const changes = Effect.flatMap(Sessions, (sessions) => sessions.changes)
const current = Effect.flatMap(Sessions, (sessions) => sessions.current)

/** Sessions that have something in them, newest first. Their numbers are their positions in this list. */
const listed = Effect.map(
  Effect.flatMap(changes, ({ list }) => list),
  (all) => all.filter(({ messageCount }) => messageCount > 0)
)

const titleOf = ({ firstMessage, name, sessionId }: SessionSummary): string =>
  Text.oneLine(Option.getOrElse(name, () => firstMessage)) || sessionId

const dayOf = ({ updatedAt }: SessionSummary): string => updatedAt.slice(0, 16).replace("T", " ")

const rowOf = (session: SessionSummary): string =>
  `${dayOf(session)}  ${titleOf(session)} (${session.messageCount} messages)`

const newSession: Command = {
  name: "new",
  description: "Start an empty session; the old one stays stored",
  run: () => Effect.flatMap(changes, ({ create }) => create({}))
}

const mostOffered = 50

const pick = Effect.fnUntraced(function* (talk: Parameters<Command["run"]>[1]) {
  const sessions = (yield* listed).slice(0, mostOffered)
  if (sessions.length === 0) {
    talk.notify("info", "There are no stored sessions of this folder.")
    return Option.none()
  }
  const options = sessions.map(rowOf)
  const chosen = yield* talk.ui.select({ title: "Which session?", options })
  return Option.flatMapNullable(chosen, (option) => sessions[options.indexOf(option)]?.sessionId)
})

const resume: Command = {
  name: "resume",
  hint: "[number or id]",
  description: "Open a stored session",
  complete: (prefix) =>
    Effect.map(
      Effect.orElseSucceed(listed, () => []),
      (sessions) =>
        completions(
          sessions.map(({ sessionId }) => sessionId),
          prefix
        )
    ),
  run: Effect.fnUntraced(function* (args, talk) {
    const number = /^\d{1,3}$/.test(args) ? (yield* listed)[Number(args) - 1]?.sessionId : undefined
    const wanted = args === "" ? yield* pick(talk) : Option.some(number ?? args)
    if (Option.isSome(wanted)) yield* Effect.flatMap(changes, ({ open }) => open(wanted.value))
  })
}

const sessions: Command = {
  name: "sessions",
  hint: "[search]",
  description: "List the stored sessions of this folder",
  run: Effect.fnUntraced(function* (args, talk) {
    const all = (yield* listed).map((session, at) => `${String(at + 1).padStart(3)}  ${rowOf(session)}`)
    const found = all.filter((row) => row.toLowerCase().includes(args.toLowerCase()))
    if (found.length === 0) {
      return talk.notify(
        "info",
        args === "" ? "There are no stored sessions of this folder." : `No session has "${args}".`
      )
    }
    talk.print([...found.slice(0, mostOffered), "", talk.style.dim("Open one with /resume <number>.")])
  })
}

const name: Command = {
  name: "name",
  hint: "<text>",
  description: "Name the session",
  run: Effect.fnUntraced(function* (args, talk) {
    if (args === "") return talk.notify("error", "Say how the session is to be called: /name <text>")
    yield* Effect.flatMap(changes, ({ rename }) => rename(args))
    talk.notify("info", `This session is called "${Text.oneLine(args)}" now.`)
  })
}

/** Failures of an attempt are events. Others come before it: of the choice of a model, and of a look that spares a run. */
const isReported = (failure: CompactionFailed, isRunning: boolean): boolean => {
  if (failure.reason === "no_model" || failure.reason === "missing_credentials") return false
  return !(isRunning && isTooSmall(failure))
}

const compact: Command = {
  name: "compact",
  hint: "[what matters]",
  description: "Replace the older part of the conversation by a summary",
  run: Effect.fnUntraced(function* (args, talk) {
    const agent = Context.get(yield* current, Agent)
    const { isStreaming } = yield* agent.state
    const compacted = agent.compact(args === "" ? {} : { customInstructions: args })
    yield* Effect.catchTag(Effect.asVoid(compacted), "CompactionFailed", (failure) =>
      isReported(failure, isStreaming) ? Effect.void : Effect.sync(() => talk.notify("error", explain(failure)))
    )
  })
}

const exportHtml: Command = {
  name: "export",
  hint: "[file.html]",
  description: "Write the session as a page to read, search and keep",
  run: Effect.fnUntraced(function* (args, talk) {
    const exporter = yield* SessionExport
    const path = yield* Effect.provide(exporter.toHtml(args === "" ? {} : { outputPath: args }), yield* current)
    talk.notify("info", `Wrote ${path}`)
  })
}

export const commands: ReadonlyArray<Command> = [newSession, resume, sessions, name, compact, exportHtml]
