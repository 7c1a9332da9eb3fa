/** What a person says: to heddle as a command, or to the model, at once or as steering of the turn that runs. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { QueuedMessage } from "../../../domain/conversation/MessageQueue.ts"
import { Agent } from "../../../services/Agent.ts"
import { Inbox } from "../../../services/session/Inbox.ts"
import { Startup } from "../../../services/session/Startup.ts"
import { Commands as SlashCommands } from "../../../services/Commands.ts"
import { Sessions } from "../../../services/session/Sessions.ts"
import * as FileMentions from "../../prompt/FileMentions.ts"
import * as Commands from "./Commands.ts"
import { explain, type Talk, reportingTo } from "./Talk.ts"

export interface ConversationOptions {
  readonly cwd: string
  readonly talk: Talk
  readonly commands: Commands.Commands
  /** Gives a text back that was not sent. */
  readonly giveBack: (text: string) => void
}

const current = Effect.flatMap(Sessions, ({ current }) => current)
const currentAgent = Effect.map(current, Context.get(Agent))
const currentInbox = Effect.map(current, Context.get(Inbox))

/** A word with a dot or a slash in it was meant as a path. */
const looksLikePath = (word: string) => /[./]/.test(word)

const attach = Effect.fnUntraced(function* (text: string, { cwd, talk }: ConversationOptions) {
  const { documents, images, missing, refused } = yield* FileMentions.attach(text, { cwd })
  for (const sentence of refused) talk.notify("warning", sentence)
  for (const word of missing.filter(looksLikePath))
    talk.notify("warning", `@${word} is sent as text: there is no such file.`)
  return { images, ...(documents.length === 0 ? {} : { documents }) }
})

const prompt = Effect.fnUntraced(function* (text: string, options: ConversationOptions) {
  const agent = yield* currentAgent
  const attached = yield* attach(text, options)
  const sent = agent.prompt({ text, ...attached, whenBusy: "steering" })
  const { disposition } = yield* Effect.tapError(sent, () => Effect.sync(() => options.giveBack(text)))
  if (disposition === "queued") options.talk.notify("info", "Queued: the model reads it at its next step.")
})

/** Whether the session knows a command. Asking loads skills and templates. */
const isKnown = Effect.fnUntraced(function* (name: string) {
  const session = yield* current
  yield* Context.get(session, Startup).started
  const { find, load } = Context.get(session, SlashCommands)
  yield* load
  return Option.isSome(yield* find(name))
})

/** Commands of the session, such as skills, are prompts to it. */
export const submit = Effect.fnUntraced(function* (text: string, options: ConversationOptions) {
  const { commands, talk } = options
  const called = commands.find(text)
  if (called !== undefined) return yield* called.command.run(called.args, talk).pipe(reportingTo(talk))
  const name = Commands.nameIn(text)
  if (name !== undefined && !(yield* isKnown(name))) {
    return talk.notify("error", `There is no command /${name}. /help lists those that there are.`)
  }
  yield* prompt(text, options).pipe(
    Effect.catchAll((failure) => Effect.sync(() => talk.notify("error", explain(failure))))
  )
})

const textsOf = (messages: ReadonlyArray<QueuedMessage>) =>
  messages.filter(({ custom }) => custom === undefined).map(({ text }) => text)

/** Ends the turn, and gives back the messages that were queued for it. */
export const abort = (giveBack: (text: string) => void) =>
  Effect.gen(function* () {
    const agent = yield* currentAgent
    yield* (yield* currentInbox).withdraw
    const texts = textsOf(yield* agent.abort())
    if (texts.length > 0) giveBack(texts.join("\n"))
  })

/** The commands of extensions, templates and skills, for Tab. */
export const sessionCommands = Effect.flatMap(current, (session) => {
  const { list, load } = Context.get(session, SlashCommands)
  return Effect.zipRight(load, list)
})
