/** `--mode json`: the header of the session, then every event of a one-shot run, as the frames that hosts get. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Presentation } from "../../services/host/Presentation.ts"
import { Transport } from "../../services/host/Transport.ts"
import { Session } from "../../services/session/Session.ts"
import { Sessions } from "../../services/session/Sessions.ts"
import * as Connecting from "../Connecting.ts"
import * as Frame from "../protocol/Frame.ts"
import * as Writer from "../Writer.ts"

export const open = Effect.fnUntraced(function* (manner: Connecting.Manner) {
  const sessions = yield* Sessions
  const transport = yield* Transport
  const { header } = yield* Context.get(yield* sessions.current, Session).info
  const connection = yield* Connecting.open(manner, sessions)
  const { run, writer } = yield* Writer.make(transport, connection)
  yield* Connecting.tellWhatIsThere(writer, sessions, connection)
  const presentation: Presentation = {
    offer: writer.offer,
    ready: writer.ready,
    run: Effect.zipRight(transport.write(Frame.encode(header)), run),
    conclude: () => undefined,
    end: writer.end
  }
  return presentation
})
