/** What was typed before, and where in it the person is. Immutable and pure. */

export interface History {
  readonly entries: ReadonlyArray<string>
  /** As many as there are entries: at the text that is being typed. */
  readonly at: number
  /** The text that was being typed when the person went back. */
  readonly draft: string
}

export const make = (entries: ReadonlyArray<string>): History => ({ entries, at: entries.length, draft: "" })

/** Repetitions are kept once. */
export const add = ({ entries }: History, text: string): History =>
  make(entries.at(-1) === text ? entries : [...entries, text])

export type Step = readonly [History, text: string]

/** `current` is what the editor has. Undefined at either end. */
export const step = (history: History, current: string, by: -1 | 1): Step | undefined => {
  const { at, entries } = history
  const target = at + by
  if (target < 0 || target > entries.length) return undefined
  const draft = at === entries.length ? current : history.draft
  return [{ entries, at: target, draft }, entries[target] ?? draft]
}

/** The newest entry before `at` that has the text; undefined if none has. */
export const search = ({ entries }: History, text: string, at: number): number | undefined => {
  for (let index = Math.min(at, entries.length) - 1; index >= 0; index--) {
    if (entries[index]?.includes(text)) return index
  }
  return undefined
}
