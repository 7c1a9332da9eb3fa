/** No host, or one that registered no tools. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { HostTools } from "../../services/HostTools.ts"

export const service = HostTools.of({ active: Effect.succeed([]) })

export const layer = Layer.succeed(HostTools, service)
