/** A HostUi without a host: questions get their default answers, notices go to the log. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { HostUi } from "../../services/host/HostUi.ts"

export const service = HostUi.of({
  select: () => Effect.succeedNone,
  confirm: () => Effect.succeed(false),
  notify: (message) => Effect.logInfo(message)
})

export const layer = Layer.succeed(HostUi, service)
