/** Compacts a long conversation while the session is idle, if the settings ask for that. Owned by the session scope. */
import * as Effect from "effect/Effect"
import * as Mailbox from "effect/Mailbox"
import type { AgentEvent } from "../../../../domain/conversation/AgentEvent.ts"
import * as ContextTokens from "../../../../domain/compaction/ContextTokens.ts"
import type { Model } from "../../../../domain/model/Model.ts"
import type { NoModelSelected } from "../../../../services/Agent.ts"
import type { EventLog, EventSink } from "../../../../services/session/EventLog.ts"
import type { Session } from "../../../../services/session/Session.ts"
import type { SettingsValues } from "../../../../services/Settings.ts"
import type { Compaction } from "./Compaction.ts"

interface Dependencies {
  readonly compaction: Compaction
  readonly events: Pick<EventLog, "attach" | "position">
  readonly session: typeof Session.Service
  readonly settings: SettingsValues
  readonly model: Effect.Effect<Model, NoModelSelected>
}

const matters = ({ _tag }: AgentEvent) => _tag === "RunStarted" || _tag === "RunSettled"

/** A run that starts ends the wait, or the attempt. */
export const watch = Effect.fnUntraced(function* ({ compaction, events, model, session, settings }: Dependencies) {
  if (!settings["compaction.idleEnabled"]) return
  const found = yield* Mailbox.make<AgentEvent>()
  const sink: EventSink = {
    offer: (event) => {
      if (matters(event)) found.unsafeOffer(event)
    },
    ready: Effect.void
  }
  // From here on by its number: news from before anybody listened are for a host.
  yield* events.attach(sink, events.position())

  const isLong = Effect.map(session.branch, (branch) => {
    const { basis, tokens } = ContextTokens.ofBranch(branch)
    return basis !== "compacted" && tokens > settings["compaction.idleThresholdTokens"]
  })

  const compact = Effect.gen(function* () {
    if (!compaction.isEnabled() || !(yield* isLong)) return
    yield* compaction.perform({ reason: "idle", model: yield* model })
  }).pipe(Effect.catchTag("NoModelSelected", () => Effect.void))

  const wait = Effect.zipRight(Effect.sleep(settings["compaction.idleTimeoutSeconds"] * 1000), compact)

  const follow = Effect.gen(function* () {
    let event = yield* found.take
    while (true) {
      const idle = event._tag === "RunSettled" ? wait : Effect.void
      event = yield* Effect.raceFirst(Effect.zipRight(idle, found.take), found.take)
    }
  })
  // Closing the scope ends the mailbox, and with it this loop.
  yield* Effect.forkScoped(Effect.ignore(follow))
})
