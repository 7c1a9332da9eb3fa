/** The attachments of prompts, kept until the events of their user messages have shown them (protocol.md 3.1). */
import type { Attachment } from "../protocol/Attachments.ts"
import type { ToFrames } from "../protocol/events/EventFrames.ts"

export interface Echoes {
  readonly keep: (messageId: string, attachments: ReadonlyArray<Attachment> | undefined) => void
  readonly find: (messageId: string) => ReadonlyArray<Attachment> | undefined
  readonly forget: (messageId: string) => void
}

/** Prompts whose messages may never come, because a host took them out of the queue, are forgotten in time. */
const most = 64

export const make = (): Echoes => {
  const kept = new Map<string, ReadonlyArray<Attachment>>()
  return {
    keep: (messageId, attachments = []) => {
      if (attachments.length === 0) return
      kept.set(messageId, attachments)
      for (const oldest of kept.keys()) if (kept.size > most) kept.delete(oldest)
    },
    find: (messageId) => kept.get(messageId),
    forget: (messageId) => void kept.delete(messageId)
  }
}

export const add =
  (echoes: Echoes, next: ToFrames): ToFrames =>
  (event) => {
    if (event._tag !== "MessageStarted" && event._tag !== "MessageEnded") return next(event)
    const { message, messageId } = event
    const attachments = echoes.find(messageId)
    if (attachments === undefined) return next(event)
    if (event._tag === "MessageEnded") echoes.forget(messageId)
    return next(event).map((frame) => ({ ...frame, message: { ...message, attachments } }))
  }
