/** `--mode json`: the header of the session, then every event of a one-shot run, as the frames that hosts get. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Presentation } from "../../services/host/Presentation.ts"
import { Transport } from "../../services/host/Transport.ts"
import { Session } from "../../services/session/Session.ts"
import { Sessions } from "../../services/session/Sessions.ts"
import * as Connecting from "../connection/Connecting.ts"
import * as Outbox from "../outbox/Outbox.ts"
import * as Frame from "../protocol/Frame.ts"

export const open = Effect.fnUntraced(function* (manner: Connecting.Manner) {
  const sessions = yield* Sessions
  const transport = yield* Transport
  const { header } = yield* Context.get(yield* sessions.current, Session).info
  const connection = yield* Connecting.open(manner, sessions)
  const { outbox, run } = yield* Outbox.make(transport, connection)
  yield* Connecting.tellWhatIsThere(outbox, sessions, connection)
  const presentation: Presentation = {
    offer: outbox.offer,
    ready: outbox.ready,
    run: Effect.zipRight(transport.write(Frame.encode(header)), run),
    conclude: () => undefined,
    end: outbox.end
  }
  return presentation
})
