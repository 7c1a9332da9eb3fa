/** The agent and the session that a host begins in, for tests that never leave it. */
import { Effect, Layer } from "effect"
import { Sessions } from "../../../src/services/session/Sessions.ts"

export const layer = Layer.effectContext(Effect.flatMap(Sessions, ({ current }) => current))
