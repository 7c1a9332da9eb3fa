/** How a session on the terminal speaks to its person: rows, notices, questions, and the texts of failures. */
import * as Effect from "effect/Effect"
import { keyAdvice } from "../../../../domain/model/ProviderKeys.ts"
import type { MissingCredentials } from "../../../../services/Agent.ts"
import type { Ui } from "../../../../services/host/HostUi.ts"
import type { Style } from "../screen/Style.ts"
import type { Notice } from "../view/Notices.ts"

export interface Talk {
  readonly style: Style
  readonly width: () => number
  /** Rows as they are, for the scrollback. */
  readonly print: (rows: ReadonlyArray<string>) => void
  readonly notify: (level: Notice["level"], text: string) => void
  readonly ui: Ui
}

interface Failure {
  readonly _tag: string
  readonly message: string
}

const isMissingKey = (failure: Failure): failure is MissingCredentials => failure._tag === "MissingCredentials"

/** What went wrong and what helps, in the words of this session: other hosts name other means. */
export const explain = (failure: Failure): string => {
  if (isMissingKey(failure)) {
    const { provider } = failure
    return `There is no API key for ${provider}. ${keyAdvice(provider)}, or choose another model with /model.`
  }
  switch (failure._tag) {
    case "NoModelSelected":
      return "No model is selected. Choose one with /model."
    case "BudgetExceeded":
      return `${failure.message}. Start heddle with a higher limit to go on.`
    case "ChangeCancelled":
      return "An extension kept heddle in this session."
    case "CommandNotQueueable":
      return "This command cannot wait for the running turn. Abort it with Ctrl-C, or try again when it has ended."
    default:
      return failure.message
  }
}

/** Failures of what a person asked for are notices, and the session goes on. */
export const reportingTo =
  (talk: Talk) =>
  <R>(effect: Effect.Effect<void, Failure, R>): Effect.Effect<void, never, R> =>
    Effect.catchAll(effect, (failure) => Effect.sync(() => talk.notify("error", explain(failure))))
