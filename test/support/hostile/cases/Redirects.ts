/** Redirects, to an origin that must not hear of the key or the prompt, and to odd places. */
import type { HostileCase } from "../HostileCase.ts"
import { chunked, good, head, type Step } from "../Wire.ts"

const redirect = (status: number, location: string): Array<Step> => [head(status, { location, "content-length": "0" })]

const elsewhere = [301, 302, 303, 307, 308].map((status): HostileCase => ({
  name: `redirect-${status}`,
  ends: "error",
  steps: ({ path, trap }) => redirect(status, `${trap}${path}`)
}))

const odd = (name: string, location: string): HostileCase => ({
  name,
  ends: "error",
  steps: () => redirect(307, location)
})

export const cases: ReadonlyArray<HostileCase> = [
  ...elsewhere,
  odd("redirect-to-file", "file:///etc/passwd"),
  odd("redirect-to-data", "data:text/event-stream,data: {}"),
  odd("redirect-to-nothing", ""),
  odd("redirect-to-nonsense", "http://[::bad"),
  { name: "redirect-loop", ends: "error", steps: ({ path }) => redirect(308, path) },
  { name: "redirect-303-here", ends: "error", steps: ({ path }) => redirect(303, path) },
  {
    name: "redirect-later",
    ends: "error",
    steps: ({ nth, path, trap }) => redirect(307, nth === 0 ? `${path}/` : `${trap}${path}`)
  },
  {
    name: "redirect-here",
    ends: "answer",
    steps: ({ api, nth, path }) => (nth % 2 === 0 ? redirect(307, `${path}/`) : good(api))
  },
  {
    name: "redirect-with-endless-body",
    ends: "error",
    large: true,
    steps: ({ bytes, path, trap }) =>
      chunked(
        (function* () {
          for (let sent = 0; sent < bytes; sent += 65_536) yield Buffer.alloc(65_536, "x")
        })(),
        { location: `${trap}${path}` },
        307
      )
  }
]
