/** How a stream of server-sent events says that it failed or that it is over, besides the events of the model. */
import type { EventSourceMessage } from "eventsource-parser"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Json from "../../../../domain/Json.ts"
import type { Fault, Stop } from "./Machine.ts"

export interface Listener<Raw> {
  readonly take: (raw: Raw) => Stop | undefined
  readonly over: () => void
}

export type Dialect = <Raw extends object>(event: EventSourceMessage, to: Listener<Raw>) => Stop | undefined

/** Garbled data may be gone on a retry, like a stream that broke off. */
const notJson: Fault = { reason: "stream_ended", message: "The server sent an event that is not JSON" }
const unknownForm: Fault = { reason: "protocol", message: "The server sent an event of unknown form" }

/** Checks no more than this: servers that imitate an API leave fields out, and the state machines cope with that. */
const isEvent = <Raw extends object>(value: unknown): value is Raw => Predicate.isRecord(value)

export const anthropic = <Raw extends object>(
  { data, event }: EventSourceMessage,
  { take }: Listener<Raw>
): Stop | undefined => {
  const value = Json.parse(data)
  if (event === "error") return { error: Either.isRight(value) ? value.right : data }
  if (Either.isLeft(value)) return notJson
  return isEvent<Raw>(value.right) ? take(value.right) : unknownForm
}

const sentinel = "[DONE]"

export const openAi = <Raw extends object>(
  { data, event }: EventSourceMessage,
  { over, take }: Listener<Raw>
): Stop | undefined => {
  if (data === sentinel) {
    over()
    return undefined
  }
  const value = Json.parse(data)
  if (Either.isLeft(value)) return notJson
  const inner = Predicate.hasProperty(value.right, "error") ? value.right.error : undefined
  if (event === "error") return { error: inner ?? value.right }
  if (inner) return { error: inner }
  return isEvent<Raw>(value.right) ? take(value.right) : unknownForm
}
