/** What a one-shot run could ask nobody about: it is denied, stderr says what allows it, and the exit code tells. */
import * as Effect from "effect/Effect"
import { Approvers, nobody } from "../../../services/host/Approvers.ts"
import type { Outcome } from "../../../services/host/Presentation.ts"
import * as Process from "../../machine/processes/Process.ts"

/** As a word of a shell. */
const quoted = (text: string): string => (/^[\w-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`)

/** From now on until the scope closes. */
export const watch = Effect.gen(function* () {
  let hasMissed = false
  const missed = (option: ReadonlyArray<string>) =>
    Effect.suspend(() => {
      hasMissed = true
      return Process.printError(`heddle warn: not allowed, and nobody can be asked: ${option.map(quoted).join(" ")}`)
    })
  yield* (yield* Approvers).connect({ ...nobody, missed })
  return {
    mark: (outcome: Outcome): Outcome =>
      hasMissed && (outcome._tag === "Answered" || outcome._tag === "Submitted")
        ? { ...outcome, hasMissed: true }
        : outcome
  }
})
