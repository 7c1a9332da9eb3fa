/** What Ctrl-C means: abort what runs; twice while idle, or twice within a second, leave. */

export type Meaning = "abort" | "clear" | "leave"

export interface Interrupts {
  readonly press: (state: { readonly now: number; readonly isBusy: boolean }) => Meaning
  /** Another key was pressed: the next Ctrl-C is a first one. */
  readonly reset: () => void
  /** Whether the next Ctrl-C leaves. */
  readonly isArmed: () => boolean
}

const apartMs = 1000

export const make = (): Interrupts => {
  let armed = false
  let last = Number.NEGATIVE_INFINITY
  return {
    press: ({ isBusy, now }) => {
      const isQuick = now - last < apartMs
      last = now
      if (armed || isQuick) return "leave"
      if (isBusy) return "abort"
      armed = true
      return "clear"
    },
    reset: () => {
      armed = false
      last = Number.NEGATIVE_INFINITY
    },
    isArmed: () => armed
  }
}
