/** The body of a request after the hook of the session. Only a request with a hook is parsed and made text again. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Json from "../../../../domain/Json.ts"
import * as JsonValue from "../../../../domain/JsonValue.ts"
import { ModelFailure, type ModelRequest } from "../../../../services/model/ModelClient.ts"
import type { RequestHooks } from "../../../../services/model/RequestHooks.ts"

const problemOf = (body: unknown): string | undefined =>
  Predicate.isRecord(body) ? JsonValue.problemOf(body) : "is not a JSON object"

const refused = ({ model }: ModelRequest, problem: string) =>
  new ModelFailure({
    reason: "invalid_request",
    message: `The request to ${model.provider} was not sent: the body that a before_provider_request handler returned ${problem}`,
    provider: model.provider,
    model: model.id
  })

export const make = (text: string, request: ModelRequest, before: NonNullable<RequestHooks["before"]>) => {
  const { model, sessionId } = request
  const payload = Either.getOrElse(Json.parse(text), () => ({}))
  return Effect.flatMap(before(payload, { model, sessionId }), (body) => {
    const problem = problemOf(body)
    return problem === undefined ? Effect.sync(() => Json.stringify(body)) : refused(request, problem)
  })
}
