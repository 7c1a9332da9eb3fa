/** A HostUi without a host: questions get their default answers, notices go to the log. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { HostUi } from "../../services/host/HostUi.ts"

export const service = HostUi.of({
  isPresent: Effect.succeed(false),
  select: () => Effect.succeedNone,
  confirm: () => Effect.succeed(false),
  input: () => Effect.succeedNone,
  editor: () => Effect.succeedNone,
  notify: ({ message }) => Effect.logInfo(message),
  setStatus: () => Effect.void,
  setWidget: () => Effect.void,
  setTitle: () => Effect.void,
  setEditorText: () => Effect.void
})

export const layer = Layer.succeed(HostUi, service)
