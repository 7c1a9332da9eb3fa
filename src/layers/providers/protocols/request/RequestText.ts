/**
 * The body of a call, as the text that is sent. A conversation goes out again with every turn and only grows: the text of
 * what can no longer change is kept, so that a call costs what was added since the one before.
 */
import type { Message } from "../../../../domain/conversation/Message.ts"
import type { Model } from "../../../../domain/model/Model.ts"
import { startsWith } from "../../../../domain/SameItems.ts"
import { type ModelRequest, sameFrame } from "../../../../services/model/ModelClient.ts"
import type { Compat } from "../../Protocol.ts"
import * as History from "./History.ts"

export interface Format<Item> {
  /** Everything but the conversation. */
  readonly frame: (request: ModelRequest, compat: Compat) => object
  /** The member that the conversation goes into. */
  readonly member: string
  /** What stands before the conversation. */
  readonly lead: (request: ModelRequest, compat: Compat) => ReadonlyArray<Item>
  /** Whether something is sent of it. */
  readonly isSent: (message: Message) => boolean
  /** Nothing may be made of a message by looking past the next or previous one that the model said. */
  readonly items: (messages: ReadonlyArray<Message>, compat: Compat) => ReadonlyArray<Item>
  /** What only the end of a conversation has. It gets no less than the last two turns of the user. */
  readonly finish: (items: ReadonlyArray<Item>) => ReadonlyArray<Item>
}

/** The beginning of a conversation, up to an answer of the model. */
interface Settled<Item> {
  readonly model: Model
  readonly compat: Compat
  /** What it was made of, and that answer. */
  seen: ReadonlyArray<Message>
  from: number
  readonly names: Set<string>
  text: string
  /** Comes after the text, and may still be finished: what the user said last, the answer before that, and what led to it. */
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

/** Flat: what is put together of strings by `+` is gone through piece by piece each time it is used. */
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

/** `later` is for what need not be done before the call is out. */
export const make = <Item>(format: Format<Item>, later: (go: () => void) => void) => {
  const { finish, frame, isSent, items, lead, member } = format
  // By the first message: it stays as long as the conversation does.
  const known = new WeakMap<Message, Known<Item>>()

  const headOf = (request: ModelRequest, compat: Compat, before: Head | undefined): Head => {
    if (before !== undefined && before.compat === compat && sameFrame(before.request, request)) return before
    const members = listed([frame(request, compat)]).slice(0, -1)
    return { request: { ...request, messages: [] }, compat, members, lead: listed(lead(request, compat)) }
  }

  /** Nothing of what comes before such an answer changes by what follows, nor the other way round. */
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
      // Unless another call of the same conversation has come first.
      if (settled.from === from) settle(settled, prepared, messages)
    })
    return `${head.members},"${member}":[${text}]}`
  }
}
