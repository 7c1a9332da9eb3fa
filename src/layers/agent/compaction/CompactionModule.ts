/** Compaction as a module of sessions (protocol.md 7): by itself before and after turns, while the session is idle, and on demand. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AgentEvent } from "../../../domain/conversation/AgentEvent.ts"
import { Allowance } from "../../../services/Budget.ts"
import { Compactions } from "../../../services/Compaction.ts"
import { ModelCatalog } from "../../../services/model/ModelCatalog.ts"
import { Controls } from "../../../services/session/Controls.ts"
import { Retries } from "../../../services/session/Retries.ts"
import { SessionCore } from "../../../services/session/SessionCore.ts"
import * as SessionModule from "../../../services/session/SessionModule.ts"
import { Settings } from "../../../services/Settings.ts"
import { RegisteredHooks } from "../../hooks/HookRegistry.ts"
import * as ModelInForce from "../model/ModelInForce.ts"
import * as RunNodes from "../nodes/RunNodes.ts"
import * as Compaction from "./Compaction.ts"
import * as ContextLength from "./ContextLength.ts"
import * as IdleCompaction from "./IdleCompaction.ts"
import * as RunCompaction from "./RunCompaction.ts"

/** The compactions of a session, for its run and for changes of branch. */
export class SessionCompaction extends Context.Tag("heddle/layers/agent/compaction/SessionCompaction")<
  SessionCompaction,
  Compaction.Compaction
>() {}

export const module = SessionModule.providing(
  "compaction",
  Effect.gen(function* () {
    const { contributions, entries: session, events, fork, supervision } = yield* SessionCore
    const budget = yield* Allowance
    const settings = yield* Settings
    const { isEnabled: mayRetry } = yield* Retries
    const { values } = yield* Controls
    const model = ModelInForce.make(values, yield* ModelCatalog)
    const publish = (event: AgentEvent) => {
      if (event._tag === "CompactionEnded" && event.result !== undefined) {
        for (const { compacted } of contributions()) compacted?.()
      }
      events.publish(event)
    }
    const compaction = yield* Compaction.make({
      publish,
      budget,
      detach: fork,
      mayRetry,
      prepareHandoff: Effect.suspend(() =>
        Effect.map(
          Effect.forEach(contributions(), ({ handsOff = Effect.succeed([]) }) => handsOff),
          (all) => all.flat()
        )
      ),
      hooks: yield* RegisteredHooks
    })
    yield* RunNodes.session(supervision)(
      IdleCompaction.watch({ compaction, events, session, settings, model: model.current })
    )
    return {
      services: Context.make(SessionCompaction, compaction).pipe(
        Context.add(Compactions, {
          isEnabled: compaction.isEnabled,
          setEnabled: compaction.setEnabled,
          cancel: compaction.cancel,
          cancelUntil: compaction.cancelUntil
        })
      ),
      state: Effect.map(compaction.isActive, (isCompacting) => ({
        isCompacting,
        autoCompactionEnabled: compaction.isEnabled()
      })),
      carry: (left: Context.Context<never>) =>
        Option.match(Context.getOption(left, Compactions), {
          onNone: () => Effect.void,
          onSome: ({ isEnabled }) => compaction.setEnabled(isEnabled())
        }),
      run: RunCompaction.make({
        compaction,
        length: ContextLength.make(session, ContextLength.limitsOf(settings)),
        budget,
        model: Effect.map(model.certain, (chosen) => chosen.model),
        autoContinue: settings["compaction.autoContinue"]
      })
    }
  })
)
