/** Credentials without any key, for programs whose providers need none. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Credentials } from "../../services/model/Credentials.ts"

export const layer = Layer.succeed(Credentials, { find: () => Effect.succeedNone, has: () => Effect.succeed(false) })
