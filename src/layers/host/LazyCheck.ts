/** A check of arguments whose validator is loaded at the first call: most tools are never called. */
import * as Effect from "effect/Effect"
import type { JsonObject } from "../../domain/conversation/Content.ts"
import { firstSuccess } from "../Sharing.ts"
import type * as ArgumentCheck from "./ArgumentCheck.ts"

export const make = (parameters: JsonObject): Effect.Effect<ArgumentCheck.Check> =>
  firstSuccess(
    Effect.map(
      Effect.promise(() => import("./ArgumentCheck.ts")),
      (check) => check.make(parameters)
    )
  )
