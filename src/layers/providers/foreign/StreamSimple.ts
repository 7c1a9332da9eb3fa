/** Runs model calls with the `streamSimple` of an extension: pi's arguments in, model events out. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import type { Model, ThinkingLevel } from "../../../domain/model/Model.ts"
import type { ModelRequest, Opened } from "../../../services/model/ModelClient.ts"
import type { CallAuth } from "../../../services/model/ProviderRegistrations.ts"
import type { ProviderResponse } from "../../../services/model/RequestHooks.ts"
import { factsOf } from "../../platform/extensions/ForeignValue.ts"
import * as ForeignItems from "../../platform/ForeignItems.ts"
import { SourceFailed } from "../../platform/Source.ts"
import { KnownSecrets } from "../../secrets/KnownSecrets.ts"
import * as ModelCall from "../protocols/stream/ModelCall.ts"
import type * as Watchdog from "../protocols/stream/Watchdog.ts"
import * as AssistantEvents from "./AssistantEvents.ts"
import * as PiContext from "./PiContext.ts"

/** The options that extensions read. Key and headers are in clear: the code of the provider sends them. */
export interface StreamOptions {
  readonly signal: AbortSignal
  readonly sessionId: string
  readonly apiKey?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly reasoning?: Exclude<ThinkingLevel, "off">
  readonly onPayload?: (payload: unknown) => Promise<unknown>
  readonly onResponse?: (response: ProviderResponse) => Promise<void>
}

/** Returns an async iterable of AssistantMessageEvents, or a promise of one. */
export type StreamSimple = (model: Model, context: PiContext.PiContext, options: StreamOptions) => unknown

/** Longer silences than a server may keep: such code often waits for another program. */
export const deadlines: Watchdog.Deadlines = { firstEventMs: 600_000, idleMs: 600_000, totalMs: 3_600_000 }

interface Call {
  readonly request: ModelRequest
  readonly auth: CallAuth
  readonly asPromise: ForeignItems.AsPromise
}

const optionsOf = ({ asPromise, auth, request }: Call, signal: AbortSignal): StreamOptions => {
  const { hooks = {}, model, sessionId, thinkingLevel } = request
  const { after, before } = hooks
  const info = { model, sessionId }
  return {
    signal,
    sessionId,
    ...(Option.isSome(auth.apiKey) ? { apiKey: Redacted.value(auth.apiKey.value) } : {}),
    ...(Object.keys(auth.headers).length === 0 ? {} : { headers: Record.map(auth.headers, Redacted.value) }),
    ...(thinkingLevel === "off" ? {} : { reasoning: thinkingLevel }),
    ...(before === undefined ? {} : { onPayload: (payload: unknown) => asPromise(before(payload, info), signal) }),
    ...(after === undefined
      ? {}
      : { onResponse: (response: ProviderResponse) => asPromise(after(response, info), signal) })
  }
}

/** The `stream` of a provider's configuration. Closing the scope fires the signal and does not wait for the code. */
export const make =
  (streamSimple: StreamSimple) =>
  (request: ModelRequest, auth: CallAuth): Opened =>
    Effect.gen(function* () {
      const secrets = yield* KnownSecrets
      for (const value of [...Option.toArray(auth.apiKey), ...Object.values(auth.headers)])
        secrets.add(Redacted.value(value))
      const asPromise = yield* ForeignItems.asPromise
      const model = { ...request.model, baseUrl: Redacted.value(auth.address) }
      return yield* ModelCall.stream({
        request,
        connection: { ...auth, compat: {}, addressPlaces: `the baseUrl of ${request.model.provider}` },
        source: ForeignItems.source(
          (signal) =>
            streamSimple(model, PiContext.ofRequest(request), optionsOf({ request, auth, asPromise }, signal)),
          AssistantEvents.isLast
        ),
        dialect: (item: unknown, { take }) => take(item),
        machine: AssistantEvents.make(),
        deadlines,
        mask: secrets.mask,
        explain: ({ cause }) => new SourceFailed({ stage: "open", cause: factsOf(cause) })
      })
    })
