/** Model calls of extensions: through the agent's providers and keys, or through an api that an extension registered. */
import type { Model } from "../../../../domain/model/Model.ts"
import * as ForeignValue from "../../../machine/foreign/ForeignValue.ts"
import * as IsoTime from "../../../machine/engine/IsoTime.ts"
import type { Holder } from "../HostBindings.ts"
import { AssistantMessageEventStream } from "./EventStream.ts"

type Stream = (model: Model, context: unknown, options?: unknown) => AsyncIterable<{ readonly type: string }>

interface Api {
  readonly api: string
  readonly stream: Stream
  readonly streamSimple: Stream
}

const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

/** The message of a call that failed before any provider was asked. */
const failed = ({ api, id, provider }: Model, error: unknown) => ({
  role: "assistant",
  content: [],
  api,
  provider,
  model: id,
  usage: { ...none, totalTokens: 0, cost: { ...none, total: 0 } },
  stopReason: "error",
  errorMessage: ForeignValue.textOf(error),
  timestamp: IsoTime.systemMillis()
})

/** Never rejects: a failure is the last event. */
const pump = async (
  model: Model,
  events: AsyncIterable<{ readonly type: string }>,
  into: AssistantMessageEventStream
) => {
  try {
    for await (const event of events) into.push(event)
    into.end()
  } catch (error) {
    into.push({ type: "error", error: failed(model, error) })
  }
}

export const make = (holder: Holder) => {
  const registered = new Map<string, Api & { readonly sourceId: string | undefined }>()

  const viaHost: Stream = (model, context, options) => {
    const stream = new AssistantMessageEventStream()
    void pump(model, holder.get().models.stream(model, context, options), stream)
    return stream
  }

  const own = (api: string): Api | undefined => registered.get(api)
  const stream: Stream = (model, context, options) => (own(model.api)?.stream ?? viaHost)(model, context, options)
  const streamSimple: Stream = (model, context, options) =>
    (own(model.api)?.streamSimple ?? viaHost)(model, context, options)

  const resultOf = (answer: AsyncIterable<{ readonly type: string }>): Promise<unknown> =>
    answer instanceof AssistantMessageEventStream ? answer.result() : collect(answer)

  const hostApi = (api: string): Api => ({ api, stream: viaHost, streamSimple: viaHost })

  const exports = {
    stream,
    streamSimple,
    complete: (...call: Parameters<Stream>) => resultOf(stream(...call)),
    completeSimple: (...call: Parameters<Stream>) => resultOf(streamSimple(...call)),
    registerApiProvider: (api: Api, sourceId?: string) => void registered.set(api.api, { ...api, sourceId }),
    unregisterApiProviders: (sourceId: string) => {
      for (const [name, api] of registered) if (api.sourceId === sourceId) registered.delete(name)
    },
    clearApiProviders: () => registered.clear(),
    resetApiProviders: () => registered.clear(),
    registerBuiltInApiProviders: () => {},
    getApiProvider: (api: string): Api => own(api) ?? hostApi(api),
    getApiProviders: (): Array<Api> => {
      const known = new Set(
        holder
          .get()
          .models.all()
          .map(({ api }) => api)
      )
      return [...registered.values(), ...[...known].filter((api) => !registered.has(api)).map(hostApi)]
    }
  }
  return { exports, viaHost, hostApi }
}

/** The message of the last event, for streams that were not made by this module. */
const collect = async (events: AsyncIterable<{ readonly type: string }>): Promise<unknown> => {
  const stream = new AssistantMessageEventStream()
  for await (const event of events) stream.push(event)
  stream.end()
  return stream.result()
}
