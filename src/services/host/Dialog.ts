/** A question while it waits for its answer: a node of the supervision tree, with a deadline and a default. */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Text from "../../domain/Text.ts"
import * as Supervision from "../supervision/Supervision.ts"
import type { Question } from "./HostUi.ts"

export interface Dialog<A> {
  readonly id: string
  readonly question: Question
  /** The answer when the time is over, and when a host cancels the node. */
  readonly fallback: A
  /** The parent of the node where the asking fiber is in no tree. Without it, such a dialog has no node. */
  readonly root?: Supervision.LiveNode
}

const longestLabel = 80

const labelOf = (title: string): string => {
  const [line = ""] = title.trim().split("\n", 1)
  return Text.fit(line, longestLabel)
}

/** Whole milliseconds; undefined for a question without a deadline. */
export const limitOf = ({ timeoutMs }: Question): number | undefined =>
  timeoutMs !== undefined && Number.isFinite(timeoutMs) && timeoutMs > 0 ? Math.ceil(timeoutMs) : undefined

const inTime = <A>(answer: Effect.Effect<A>, limit: number, { fallback, question }: Dialog<A>) =>
  Effect.flatMap(
    Effect.timeoutOption(answer, limit),
    Option.match({
      onNone: () => Effect.as(question.onTimeout ?? Effect.void, fallback),
      onSome: Effect.succeed
    })
  )

/** Waits for the answer. Where the default takes its place, the effect that asks is interrupted first. */
export const open = <A>(dialog: Dialog<A>, ask: Effect.Effect<A>): Effect.Effect<A> =>
  Effect.gen(function* () {
    const { fallback, id, question, root } = dialog
    const withdrawn = yield* Deferred.make<A>()
    const limit = limitOf(question)
    const until = limit === undefined ? {} : { until: (yield* Clock.currentTimeMillis) + limit }
    const spec: Supervision.NodeSpec = {
      kind: "dialog",
      label: labelOf(question.title),
      refs: { dialogId: id },
      names: [id],
      waitingOn: { kind: "dialog", id, ...until },
      end: Effect.asVoid(Deferred.succeed(withdrawn, fallback))
    }
    // Also in a region that is masked, where the losing side would otherwise be waited for.
    const answer = Effect.raceFirst(Effect.interruptible(ask), Effect.interruptible(Deferred.await(withdrawn)))
    const use = () => (limit === undefined ? answer : inTime(Effect.interruptible(answer), limit, dialog))
    return yield* root === undefined ? Supervision.node(spec, use) : Supervision.nodeFrom(root, spec, use)
  })
