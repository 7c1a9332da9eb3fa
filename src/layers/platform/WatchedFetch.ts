/** `fetch` for the provider SDKs, which tells when bytes arrive: the SDKs hide pings and comments. */

export interface Observer {
  readonly onAnswer: (answer: { readonly status: number; readonly contentType: string }) => void
  /** Once for each piece of the body, as the network delivers it. */
  readonly onBytes: () => void
}

export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>

/** Bun gives up after five minutes of its own accord; deadlines are the watchdog's. */
const noDeadline = { timeout: false } as const

const watch = (response: Response, onBytes: () => void): Response => {
  const { body, headers, status, statusText } = response
  if (body === null || !response.ok) return response
  const tap = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      onBytes()
      controller.enqueue(chunk)
    }
  })
  return new Response(body.pipeThrough(tap), { headers, status, statusText })
}

export const make =
  ({ onAnswer, onBytes }: Observer): Fetch =>
  async (url, init) => {
    const response = await fetch(url, { ...init, ...noDeadline })
    onAnswer({ status: response.status, contentType: response.headers.get("content-type") ?? "" })
    return watch(response, onBytes)
  }
