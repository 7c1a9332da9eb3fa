/**
 * Puts blocks one after the other that a server may send interleaved: one is open and passes through,
 * the others wait until their turn comes. Owned by the state machine of one call.
 */
import type { ModelEvent } from "../../../../domain/model/ModelEvent.ts"

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
  /** What is ready to be passed on; empty afterwards. */
  readonly drain: () => ReadonlyArray<ModelEvent>
}

interface Waiting {
  readonly events: Array<ModelEvent>
  ended: boolean
}

const none: ReadonlyArray<ModelEvent> = []

export const make = (): Blocks => {
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
  const end = (key: number, end?: End) => {
    const event: ModelEvent = { _tag: "BlockEnded", ...end }
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
    start: (key, event) => {
      if (open !== undefined) return void waiting.set(key, { events: [event], ended: false })
      open = key
      ready.push(event)
    },
    delta: (key, delta) => {
      if (delta === "") return
      if (key === open) return void ready.push({ _tag: "Delta", delta })
      const block = waiting.get(key)
      if (block?.ended === false) block.events.push({ _tag: "Delta", delta })
    },
    end,
    endAll: () => {
      while (open !== undefined) end(open)
    },
    push: (event) => void ready.push(event),
    drain: () => {
      if (ready.length === 0) return none
      const drained = ready
      ready = []
      return drained
    }
  }
}
