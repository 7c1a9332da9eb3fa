/** Runs model calls with the `streamSimple` of an extension: pi's arguments in, model events out. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import type { Model, ThinkingLevel } from "../../../domain/model/Model.ts"
import type { ModelEvent } from "../../../domain/model/ModelEvent.ts"
import type { ModelFailure, ModelRequest, Opened } from "../../../services/model/ModelClient.ts"
import type { CallAuth } from "../../../services/model/ProviderRegistrations.ts"
import type { ProviderResponse } from "../../../services/model/RequestHooks.ts"
import * as Alarm from "../../platform/Alarm.ts"
import * as AsPromise from "../../platform/AsPromise.ts"
import { factsOf } from "../../platform/extensions/ForeignValue.ts"
import * as ForeignItems from "../../platform/ForeignItems.ts"
import { SourceFailed } from "../../platform/http/ServerEvents.ts"
import type * as Intake from "../../platform/Intake.ts"
import { KnownSecrets, type Secrets } from "../../secrets/KnownSecrets.ts"
import * as Failures from "../protocols/failures/Failures.ts"
import type { Stop } from "../protocols/stream/Machine.ts"
import { capacity } from "../protocols/stream/Pump.ts"
import * as Watchdog from "../protocols/stream/Watchdog.ts"
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
  readonly streamSimple: StreamSimple
  readonly request: ModelRequest
  readonly auth: CallAuth
  readonly secrets: Secrets
  readonly clock: Clock.Clock
  readonly alarm: Alarm.Alarm
  readonly asPromise: AsPromise.AsPromise
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

const sourceOf =
  (call: Call) =>
  (cut: Intake.Cut<ModelFailure>): ForeignItems.Source<ModelEvent, ModelFailure> => {
    const { alarm, auth, clock, request, secrets, streamSimple } = call
    const machine = AssistantEvents.make()
    const connection = { ...auth, compat: {}, addressPlaces: `the baseUrl of ${request.model.provider}` }
    let silent = true
    const fail = (input: Failures.Input) =>
      Failures.make(input, {
        request,
        connection,
        contentType: "",
        silent,
        mask: secrets.mask,
        now: clock.unsafeCurrentTimeMillis()
      })
    const failStop = (stop: Stop | undefined) => (stop === undefined ? undefined : fail(stop))
    const watchdog = Watchdog.make({
      deadlines,
      clock,
      alarm,
      onEnd: (expired) => cut(expired === undefined ? undefined : fail(expired))
    })
    return {
      open: (signal) => {
        const model = { ...request.model, baseUrl: Redacted.value(auth.address) }
        return streamSimple(model, PiContext.ofRequest(request), optionsOf(call, signal))
      },
      onItem: () => {
        silent = false
        watchdog.touch()
      },
      take: (item) => failStop(machine.take(item) ?? machine.fault()),
      isOver: machine.finished,
      drain: machine.drain,
      failed: (cause) => fail(new SourceFailed({ stage: "open", cause: factsOf(cause) })),
      end: () => failStop(machine.end()),
      onWaiting: watchdog.setWaiting,
      onClosed: watchdog.stop
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
      const clock = yield* Effect.clock
      const alarm = yield* Alarm.make
      const asPromise = yield* AsPromise.make
      return yield* ForeignItems.open(
        capacity,
        sourceOf({ streamSimple, request, auth, secrets, clock, alarm, asPromise })
      )
    })
