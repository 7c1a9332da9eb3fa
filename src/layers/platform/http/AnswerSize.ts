/** Measures an answer while it is read. */
import * as Engine from "../Engine.ts"
import { AnswerTooLarge } from "./SafeFetch.ts"

/** No model sends an event longer than this. A single event takes several times its size in memory. */
const longestEvent = 16 * 1024 * 1024

/**
 * How much may be read before memory is given back. A model takes minutes to write as much, so this is for servers that
 * send as fast as they can: the garbage of 64 MB came to several hundred.
 */
const reliefBytes = 8 * 1024 * 1024

/** Takes the length of each piece and the number of events in it. Throws `AnswerTooLarge`. */
export const make = (maxBytes: number) => {
  let size = 0
  let sinceEvent = 0
  let sinceRelief = 0
  return (bytes: number, events: number): void => {
    size += bytes
    sinceEvent = events === 0 ? sinceEvent + bytes : 0
    sinceRelief += bytes
    if (size > maxBytes) throw new AnswerTooLarge({ limit: maxBytes, what: "answer" })
    if (sinceEvent > longestEvent) throw new AnswerTooLarge({ limit: longestEvent, what: "event" })
    if (sinceRelief < reliefBytes) return
    sinceRelief = 0
    Engine.collectGarbage()
  }
}
