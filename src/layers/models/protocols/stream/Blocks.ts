/**
 * Puts blocks one after the other that a server may send interleaved: one is open and passes through,
 * the others wait until their turn comes. Owned by the state machine of one call.
 */
import type { ModelEvent } from "../../../../domain/model/ModelEvent.ts"
import type { Fault } from "./Machine.ts"

type Start = Extract<ModelEvent, { readonly _tag: "TextStarted" | "ThinkingStarted" | "ToolCallStarted" }>
export interface End {
  readonly signature?: string
  readonly redacted?: boolean
}

export interface Blocks {
  readonly start: (key: number, event: Start) => void
  /** Deltas of a key that was never started, or has ended, are dropped. */
  readonly delta: (key: number, text: string) => void
  readonly end: (key: number, end?: End) => void
  readonly endAll: () => void
  readonly push: (event: ModelEvent) => void
  /** Set when the answer is longer than anybody can use. What is too much is dropped. */
  readonly fault: () => Fault | undefined
  /** What is ready to be passed on; empty afterwards. */
  readonly drain: () => ReadonlyArray<ModelEvent>
}

interface Waiting {
  readonly events: Array<ModelEvent>
  ended: boolean
}

const none: ReadonlyArray<ModelEvent> = []

const mostBlocks = 50_000

/** A model asks for a few hundred tools at most, and every call costs a stored result, also where it is not run. */
const mostCalls = 2000

/** Twice what a million tokens come to. A message is in memory several times over while it is stored and sent on. */
const mostCharacters = 8 * 1024 * 1024

const tooMuch = (what: string): Fault => ({
  reason: "protocol",
  message: `The model's answer has more than ${what}, so heddle stopped reading`
})

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** A server may send anything in the place of the texts that the SDKs' types promise. */
const sound = (event: Start, nth: number): Start => {
  if (event._tag !== "ToolCallStarted") return event
  return { ...event, id: textOf(event.id) || `call_${nth}`, name: textOf(event.name) }
}

export const make = (): Blocks => {
  let count = 0
  let calls = 0
  let characters = 0
  const waiting = new Map<number, Waiting>()
  let open: number | undefined
  let ready: Array<ModelEvent> = []

  const next = () => {
    open = undefined
    for (const [key, block] of waiting) {
      waiting.delete(key)
      for (const event of block.events) ready.push(event)
      if (!block.ended) {
        open = key
        return
      }
    }
  }
  /** Whether there is room for a text of this length. */
  const hasRoom = (length: number): boolean => {
    characters += length
    return characters <= mostCharacters
  }
  const end = (key: number, end?: End) => {
    const kept = hasRoom(end?.signature?.length ?? 0) ? end : undefined
    const event: ModelEvent = { _tag: "BlockEnded", ...kept }
    const block = waiting.get(key)
    if (key === open) {
      ready.push(event)
      next()
    } else if (block !== undefined && !block.ended) {
      block.events.push(event)
      block.ended = true
    }
  }
  return {
    start: (key, started) => {
      const event = sound(started, count++)
      const isCall = event._tag === "ToolCallStarted"
      if (isCall) calls++
      const named = isCall ? event.id.length + event.name.length : 0
      if (count > mostBlocks || calls > mostCalls || !hasRoom(named)) return
      if (open !== undefined) return void waiting.set(key, { events: [event], ended: false })
      open = key
      ready.push(event)
    },
    delta: (key, delta) => {
      if (textOf(delta) === "" || !hasRoom(delta.length)) return
      if (key === open) return void ready.push({ _tag: "Delta", delta })
      const block = waiting.get(key)
      if (block?.ended === false) block.events.push({ _tag: "Delta", delta })
    },
    end,
    endAll: () => {
      while (open !== undefined) end(open)
    },
    push: (event) => void ready.push(event),
    fault: () => {
      if (calls > mostCalls) return tooMuch(`${mostCalls} tool calls`)
      if (count > mostBlocks) return tooMuch(`${mostBlocks} blocks`)
      return characters > mostCharacters ? tooMuch(`${mostCharacters} characters`) : undefined
    },
    drain: () => {
      if (ready.length === 0) return none
      const drained = ready
      ready = []
      return drained
    }
  }
}
