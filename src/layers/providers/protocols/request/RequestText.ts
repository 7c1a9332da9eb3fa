/**
 * The body of a call as text. Every turn sends the whole conversation again, so the text of its settled part is kept: a
 * call only has to format the messages that were added since the last one.
 */
import type { Message } from "../../../../domain/conversation/Message.ts"
import type { Model } from "../../../../domain/model/Model.ts"
import type { ModelRequest } from "../../../../services/model/ModelClient.ts"
import type { Compat } from "../../Protocol.ts"
import * as History from "./History.ts"

/** Messages and tool definitions are immutable, so they are compared by identity. */
const startsWith = (whole: ReadonlyArray<unknown>, start: ReadonlyArray<unknown>): boolean => {
  if (start.length > whole.length) return false
  // A loop, because whole conversations are compared before every model call.
  for (let at = 0; at < start.length; at++) if (whole[at] !== start[at]) return false
  return true
}

/** Whether two requests differ in their messages only. */
const sameFrame = (a: ModelRequest, b: ModelRequest): boolean =>
  a.model === b.model &&
  a.thinkingLevel === b.thinkingLevel &&
  a.systemPrompt === b.systemPrompt &&
  a.sessionId === b.sessionId &&
  a.tools.length === b.tools.length &&
  startsWith(a.tools, b.tools)

export interface Format<Item> {
  /** The members of the body other than the conversation. */
  readonly frame: (request: ModelRequest, compat: Compat) => object
  /** The name of the member that holds the conversation. */
  readonly member: string
  /** Items before the first message. */
  readonly lead: (request: ModelRequest, compat: Compat) => ReadonlyArray<Item>
  /** False for a message that is not sent at all. */
  readonly isSent: (message: Message) => boolean
  /** May look at neighbouring messages, but not past the previous or the next assistant message. */
  readonly items: (messages: ReadonlyArray<Message>, compat: Compat) => ReadonlyArray<Item>
  /** Changes items at the end of a conversation. Gets at least the last two user turns. */
  readonly finish: (items: ReadonlyArray<Item>) => ReadonlyArray<Item>
}

/** The settled beginning of a conversation, up to an assistant message. */
interface Settled<Item> {
  readonly model: Model
  readonly compat: Compat
  /** The messages before that assistant message, and the message itself. */
  seen: ReadonlyArray<Message>
  from: number
  readonly names: Set<string>
  text: string
  /** The last items before that message, which `finish` may still change. */
  last: ReadonlyArray<Item>
}

interface Head {
  readonly request: ModelRequest
  readonly compat: Compat
  readonly members: string
  readonly lead: string
}

interface Known<Item> {
  readonly settled: Settled<Item>
  readonly head: Head
}

const unfinished = 3

const listed = (items: ReadonlyArray<unknown>): string => JSON.stringify(items).slice(1, -1)

/** Joins into a flat string: one that was concatenated with `+` is walked piece by piece each time it is read. */
const joined = (...texts: ReadonlyArray<string>): string => texts.filter((text) => text !== "").join(",")

const begin = <Item>(model: Model, compat: Compat): Settled<Item> => ({
  model,
  compat,
  seen: [],
  from: 0,
  names: new Set(),
  text: "",
  last: []
})

const continues = (settled: Settled<unknown>, { messages, model }: ModelRequest, compat: Compat): boolean =>
  settled.model === model && settled.compat === compat && startsWith(messages, settled.seen)

/** `later` runs work that need not delay the call. */
export const make = <Item>(format: Format<Item>, later: (go: () => void) => void) => {
  const { finish, frame, isSent, items, lead, member } = format
  // Keyed by the first message, which lives as long as the conversation.
  const known = new WeakMap<Message, Known<Item>>()

  const headOf = (request: ModelRequest, compat: Compat, before: Head | undefined): Head => {
    if (before !== undefined && before.compat === compat && sameFrame(before.request, request)) return before
    const members = listed([frame(request, compat)]).slice(0, -1)
    return { request: { ...request, messages: [] }, compat, members, lead: listed(lead(request, compat)) }
  }

  /** Whether the assistant message at `at` divides the items: neither part depends on messages of the other. */
  const isApart = ({ messages }: History.Prepared, at: number): boolean => {
    const [before, answer] = [messages[at - 1], messages[at]]
    if (before === undefined || answer === undefined || before.role === "assistant") return false
    return isSent(before) && isSent(answer)
  }

  const settle = (settled: Settled<Item>, prepared: History.Prepared, conversation: ReadonlyArray<Message>): void => {
    const until = prepared.answers.findLast(({ at }) => isApart(prepared, at))
    if (until === undefined) return
    const done = prepared.messages.slice(0, until.at)
    const made = [...settled.last, ...items(done, settled.compat)]
    settled.text = joined(settled.text, listed(made.slice(0, -unfinished)))
    settled.last = made.slice(-unfinished)
    for (const name of History.callNames(done)) settled.names.add(name)
    settled.from = until.source
    settled.seen = conversation.slice(0, until.source + 1)
  }

  return (request: ModelRequest, compat: Compat): string => {
    const { messages, model } = request
    const [first] = messages
    const before = first === undefined ? undefined : known.get(first)
    const settled =
      before !== undefined && continues(before.settled, request, compat) ? before.settled : begin<Item>(model, compat)
    const head = headOf(request, compat, before?.head)
    if (first !== undefined) known.set(first, { settled, head })
    const { from } = settled
    const prepared = History.prepare(messages, model, settled)
    const tail = finish([...settled.last, ...items(prepared.messages, compat)])
    const text = joined(head.lead, settled.text, listed(tail))
    later(() => {
      // Another call of the same conversation may have stored its text first.
      if (settled.from === from) settle(settled, prepared, messages)
    })
    return `${head.members},"${member}":[${text}]}`
  }
}
