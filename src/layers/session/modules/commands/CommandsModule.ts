/** Slash commands as a module of sessions: the list of them, and when those that files stand for join it. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Commands, type SessionCommands } from "../../../../services/session/modules/Commands.ts"
import { SessionCore } from "../../../../services/session/SessionCore.ts"
import * as SessionModule from "../../../../services/session/SessionModule.ts"
import { Startup } from "../../../../services/session/Startup.ts"
import * as CommandRegistry from "./CommandRegistry.ts"

export const module = SessionModule.make(
  "commands",
  Commands,
  Effect.gen(function* () {
    const { contributions, events, fork } = yield* SessionCore
    const { started } = yield* Startup
    const registered = CommandRegistry.make({ publish: events.publish, detach: fork })
    const late = () => contributions().flatMap(({ commands }) => (commands === undefined ? [] : [commands]))
    const load = Effect.suspend(() => Effect.forEach(late(), (commands) => commands.load, { discard: true }))
    const service: SessionCommands = {
      ...registered,
      load: Effect.zipRight(started, load),
      isLoaded: () => late().every(({ isLoaded }) => isLoaded())
    }
    /** A host that has seen the commands of the session before is told of those of this one, too. */
    let loadsEarly = false
    return {
      service,
      carry: (left: Context.Context<never>) =>
        Effect.sync(() => {
          for (const { isLoaded } of Option.toArray(Context.getOption(left, Commands))) loadsEarly = isLoaded()
        }),
      arrived: () => {
        if (loadsEarly) fork(service.load)
      }
    }
  })
)
