/** Talks with a subagent until it has submitted its result, with a few reminders (protocol.md 14.3). */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { PromptEnd } from "../../../../domain/conversation/AgentEvent.ts"
import * as ChildPrompt from "./ChildPrompt.ts"
import type { Child } from "./ChildSession.ts"
import type { Submitted } from "./SubmitResult.ts"

export interface Outcome {
  readonly exitCode: number
  readonly output: string
  readonly error?: string
  readonly data?: unknown
  readonly aborted?: boolean
}

const ofSubmission = (submission: Submitted, text: string): Outcome => {
  if (submission._tag === "Failed") return { exitCode: 1, output: text, error: submission.error }
  const { value } = submission
  return typeof value === "string"
    ? { exitCode: 0, output: value }
    : { exitCode: 0, output: JSON.stringify(value, undefined, 2), data: value }
}

const ofEnd = ({ error, status }: PromptEnd, text: string): Outcome => {
  if (status === "aborted") return { exitCode: 1, output: text, aborted: true, error: "Aborted" }
  return { exitCode: 1, output: text, error: error?.message ?? "The subagent failed." }
}

const submission = (submitted: Deferred.Deferred<Submitted>) =>
  Effect.flatMap(Deferred.poll(submitted), Option.match({ onNone: () => Effect.succeedNone, onSome: Effect.asSome }))

/** An agent that has to submit a result. */
export interface Talker<E> {
  readonly converse: (text: string) => Effect.Effect<PromptEnd, E>
  readonly lastText: Child["lastText"]
}

/** The last words of an agent without an output schema are its result where it has not submitted one. */
export const toResult = Effect.fnUntraced(function* <E = never>(
  child: Talker<E>,
  task: string,
  submitted: Deferred.Deferred<Submitted>,
  needsData: boolean
) {
  let end = yield* child.converse(task)
  for (let attempt = 1; ; attempt++) {
    const text = (yield* child.lastText) ?? ""
    const given = yield* submission(submitted)
    if (Option.isSome(given)) return ofSubmission(given.value, text)
    if (end.status !== "completed") return ofEnd(end, text)
    if (!needsData && text !== "") {
      const result: Outcome = { exitCode: 0, output: text }
      return result
    }
    if (attempt > ChildPrompt.mostReminders) {
      const result: Outcome = { exitCode: 1, output: text, error: ChildPrompt.neverSubmitted }
      return result
    }
    end = yield* child.converse(ChildPrompt.reminder(attempt))
  }
})

/** The answer to one question, if there is one. */
export const text = (child: Child, question: string): Effect.Effect<string | undefined> =>
  Effect.flatMap(child.converse(question), ({ status }) =>
    status === "completed" ? Effect.map(child.lastText, (text) => text ?? undefined) : Effect.succeed(undefined)
  )
