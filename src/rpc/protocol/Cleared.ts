/** What a command hands back of the queue. */
import * as Schema from "effect/Schema"
import { lazy, type Type } from "../../domain/Lazy.ts"
import type { QueuedMessage } from "../../domain/conversation/MessageQueue.ts"

export const Cleared = lazy(() => {
  const texts = Schema.Array(Schema.String)
  return Schema.Struct({ steering: texts, followUp: texts })
})

/** The texts of what was taken out of the queue, if there was something. */
export const toCleared = (items: ReadonlyArray<QueuedMessage>): { readonly cleared?: Type<typeof Cleared> } => {
  if (items.length === 0) return {}
  const texts = (name: string) => items.filter(({ queue }) => queue === name).map(({ text }) => text)
  return { cleared: { steering: texts("steering"), followUp: texts("followUp") } }
}
