/** Cuts text into the deltas in which it is streamed. */
import type { Step } from "./Playback.ts"

/** Whole words, each with the white space that follows it. */
export const words = (text: string): ReadonlyArray<string> => text.match(/\S+\s*|\s+/g) ?? []

/** Pieces of `size` characters; a character outside the BMP counts as one and is never torn. */
export const chunks = (text: string, size: number): ReadonlyArray<string> => {
  const characters = Array.from(text)
  const pieces: Array<string> = []
  for (let at = 0; at < characters.length; at += size) pieces.push(characters.slice(at, at + size).join(""))
  return pieces
}

export interface Pace {
  /** Characters per delta; whole words when left out. */
  readonly chunk?: number
  readonly repeat?: number
  /** Between two deltas, not before the first one. */
  readonly delayMs?: number
}

export function* stream(text: string, pace: Pace = {}): Generator<Step> {
  const pieces = pace.chunk === undefined ? words(text) : chunks(text, pace.chunk)
  const deltas = pieces.map((delta): Step => ({ _tag: "Delta", delta }))
  const pause: Step = { _tag: "Pause", ms: pace.delayMs ?? 0 }
  let first = true
  for (let round = 0; round < (pace.repeat ?? 1); round++) {
    for (const delta of deltas) {
      if (pause.ms > 0 && !first) yield pause
      first = false
      yield delta
    }
  }
}
