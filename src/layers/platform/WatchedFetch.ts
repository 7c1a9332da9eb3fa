/** `fetch` for the provider SDKs, which tells when bytes arrive: the SDKs hide pings and comments. */

/** Travels with the options of one request, because a client and its `fetch` serve many. */
export class Watch {
  constructor(
    readonly onAnswer: (answer: { readonly status: number; readonly contentType: string }) => void,
    /** Once for each piece of the body, as the network delivers it. */
    readonly onBytes: () => void
  ) {}
}

/** What an SDK is to hand on to `fetch`. */
export const initOf = (watch: Watch) => ({
  watch,
  /** Bun gives up after five minutes of its own accord; deadlines are the watchdog's. */
  timeout: false
})

const watchOf = (init: RequestInit | undefined): Watch | undefined =>
  init !== undefined && "watch" in init && init.watch instanceof Watch ? init.watch : undefined

/** Whoever asks for the next piece has had the one before. */
const watchReader = <Read extends { read: () => Promise<unknown> }>(reader: Read, onBytes: () => void): Read => {
  const read = reader.read.bind(reader)
  let asked = false
  reader.read = () => {
    if (asked) onBytes()
    asked = true
    return read()
  }
  return reader
}

/** One SDK reads a body by its iterator, another by its reader. Both are cheaper to watch than a stream around it. */
const watchBody = (body: ReadableStream<Uint8Array>, onBytes: () => void) => {
  const getReader = body.getReader.bind(body)
  const watched = () => watchReader(getReader(), onBytes)
  const iterate = () => {
    const reader = watched()
    const end = () => ({ done: true, value: undefined })
    return { next: () => reader.read(), return: () => reader.cancel().then(end) }
  }
  Object.defineProperty(body, "getReader", { value: watched })
  Object.defineProperty(body, Symbol.asyncIterator, { value: iterate })
}

export const watchedFetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
  const watch = watchOf(init)
  const response = await fetch(url, init)
  if (watch === undefined) return response
  watch.onAnswer({ status: response.status, contentType: response.headers.get("content-type") ?? "" })
  if (response.ok && response.body !== null) watchBody(response.body, watch.onBytes)
  return response
}
