/** A bus between extensions. */

type Handler = (data: unknown) => unknown

/** The host reports an error that a handler leaves; the handlers after it still run. */
const report = (error: unknown) =>
  queueMicrotask(() => {
    throw error
  })

const call = async (handler: Handler, data: unknown) => {
  try {
    await handler(data)
  } catch (error) {
    report(error)
  }
}

export const createEventBus = () => {
  const channels = new Map<string, Set<Handler>>()
  const off = (channel: string, handler: Handler) => {
    const handlers = channels.get(channel)
    handlers?.delete(handler)
    if (handlers?.size === 0) channels.delete(channel)
  }
  return {
    emit: (channel: string, data: unknown) => {
      for (const handler of new Set(channels.get(channel))) void call(handler, data)
    },
    on: (channel: string, handler: Handler) => {
      const handlers = channels.get(channel) ?? new Set()
      channels.set(channel, handlers.add(handler))
      return () => off(channel, handler)
    },
    off,
    clear: () => channels.clear()
  }
}
