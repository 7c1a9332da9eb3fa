/** A HostUi without a host: questions get their default answers, notices go to the log. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { HostUi, type Ui } from "../../services/host/HostUi.ts"

const cannotAsk = "Nobody can be asked here, so questions get their default answers at once."

export const make = (): Ui => {
  let hasWarned = false
  const sayOnce = Effect.suspend(() => {
    if (hasWarned) return Effect.void
    hasWarned = true
    return Effect.logInfo(cannotAsk)
  })
  const unanswered = Effect.zipRight(sayOnce, Effect.succeedNone)
  return {
    isPresent: Effect.succeed(false),
    select: () => unanswered,
    confirm: () => Effect.as(sayOnce, false),
    input: () => unanswered,
    editor: () => unanswered,
    notify: ({ message }) => Effect.logInfo(message),
    setStatus: () => Effect.void,
    setWidget: () => Effect.void,
    setTitle: () => Effect.void,
    setEditorText: () => Effect.void
  }
}

export const layer = Layer.sync(HostUi, make)
