/** Lets the first of very many through, and counts the others. */
import { setTimeout } from "../engine/Primordials.ts"

export interface Flood {
  /** Whether this one goes through. */
  readonly admits: () => boolean
}

/** More than people read, and less than keeps a host busy. */
const mostInPeriod = 100
const periodMs = 1000

/** `left` gets the number of those that stayed behind in a period, at its end. */
export const make = (left: (count: number) => void): Flood => {
  let [began, admitted, refused] = [-periodMs, 0, 0]
  const report = () => {
    const count = refused
    refused = 0
    left(count)
  }
  return {
    admits: () => {
      const now = performance.now()
      if (now - began >= periodMs) [began, admitted] = [now, 0]
      if (admitted++ < mostInPeriod) return true
      if (refused++ === 0) setTimeout(report, began + periodMs - now).unref()
      return false
    }
  }
}

/** What is reported in their place. */
export const leftOut = (count: number): string => `${count} more errors in one second were left out`
