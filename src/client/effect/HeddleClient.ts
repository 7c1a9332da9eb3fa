/** The client as a service: commands are Effects, events are a Stream, and an interrupt ends what was asked for. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { RpcError } from "../Errors.ts"
import * as EffectCommands from "../generated/EffectCommands.ts"
import type { HeddleEvent, InitializeData, PromptOptions } from "../generated/Protocol.ts"
import { RpcClient, type RpcClientOptions } from "../RpcClient.ts"
import type { PromptOutcome } from "../Runs.ts"
import { fromPromise, subscribe } from "./Bridge.ts"
import type { Request } from "./Bridge.ts"
import * as Tools from "./Tools.ts"

export interface Options<R = never> extends Omit<RpcClientOptions, "customTools"> {
  readonly tools?: ReadonlyArray<Tools.Tool<R>> | undefined
  /** Without it, questions to the user get their defaults. */
  readonly ui?: Tools.Ui<R> | undefined
}

type Commands = Omit<ReturnType<typeof EffectCommands.make>, "prompt">

export interface Service extends Commands {
  readonly request: Request
  /** The answer of heddle to `initialize`; undefined if the program does not know `initialize`. */
  readonly server: Effect.Effect<InitializeData | undefined>
  /** Ends with the run, after all retries. Fails with `PromptFailed` if the run failed. An interrupt aborts the run. */
  readonly prompt: (message: string, options?: PromptOptions) => Effect.Effect<PromptOutcome, RpcError>
  /** The same as the events from the prompt to the end of its run. Ending the stream early aborts the run. */
  readonly stream: (message: string, options?: PromptOptions) => Stream.Stream<HeddleEvent, RpcError>
  /** The events from the moment the stream starts. Fails when the process dies. Keeps what is not read yet. */
  readonly events: Stream.Stream<HeddleEvent, RpcError>
  /** The same for those who must not miss the first event: subscribed when the effect succeeds, until the scope ends. */
  readonly subscribe: Effect.Effect<Mailbox.ReadonlyMailbox<HeddleEvent, RpcError>, never, Scope.Scope>
  /** Waits until the session has nothing left to do. */
  readonly waitForIdle: Effect.Effect<void, RpcError>
  /** Starts a new process, also after a death. */
  readonly restart: Effect.Effect<void, RpcError>
  /** The tail of stderr. */
  readonly stderr: Effect.Effect<string>
}

export class HeddleClient extends Context.Tag("heddle/client/HeddleClient")<HeddleClient, Service>() {}

const start = (client: RpcClient) =>
  fromPromise((signal) => {
    signal.addEventListener("abort", () => void client.stop(), { once: true })
    return client.start()
  })

export const make = Effect.fnUntraced(function* <R = never>({ tools = [], ui, ...options }: Options<R>) {
  const bind = yield* Tools.bind<R>()
  const client = new RpcClient({ ...options, customTools: tools.map(bind.tool) })
  if (ui !== undefined) client.onUiRequest(bind.ui(ui))
  yield* Effect.addFinalizer(() => Effect.promise(() => client.stop()))
  yield* start(client)

  const request: Request = (frame, call) => fromPromise((signal) => client.request(frame, { ...call, signal }))
  const prompt: Service["prompt"] = (message, options) =>
    fromPromise((signal) => client.promptAndWait(message, options, { signal }))
  const subscribed = subscribe(client)
  return HeddleClient.of({
    ...EffectCommands.make(request),
    request,
    server: Effect.sync(() => client.server),
    prompt,
    stream: (message, options) =>
      Stream.unwrapScoped(
        Effect.gen(function* () {
          const mailbox = yield* subscribed
          yield* Effect.forkScoped(Mailbox.into(Effect.asVoid(prompt(message, options)), mailbox))
          return Mailbox.toStream(mailbox)
        })
      ),
    events: Stream.unwrapScoped(Effect.map(subscribed, Mailbox.toStream)),
    subscribe: subscribed,
    waitForIdle: fromPromise((signal) => client.waitForIdle({ timeoutMs: 0, signal })),
    restart: fromPromise(() => client.restart()),
    stderr: Effect.sync(() => client.getStderr())
  })
})

/** Starts the process with the layer and ends it with the layer's scope. */
export const layer = <R = never>(options: Options<R> = {}): Layer.Layer<HeddleClient, RpcError, R> =>
  Layer.scoped(HeddleClient, make(options))
