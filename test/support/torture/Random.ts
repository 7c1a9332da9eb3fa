/** Repeatable random numbers: the same seed makes the same cases, whatever else has run before. */
export interface Random {
  /** At least 0 and less than `below`. */
  readonly int: (below: number) => number
  readonly chance: (probability: number) => boolean
  readonly pick: <A>(values: readonly [A, ...ReadonlyArray<A>]) => A
  readonly weighted: <A>(values: ReadonlyArray<readonly [weight: number, value: A]>) => A
  /** An independent sequence for a part or a case, so that a case can be repeated alone. */
  readonly fork: (...names: ReadonlyArray<string | number>) => Random
}

/** FNV-1a: nearby names must not give nearby sequences. */
const hash = (text: string) => {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value >>> 0
}

export const make = (seed: string | number): Random => {
  let state = hash(`${seed}`)
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296
  }
  const int = (below: number) => Math.floor(next() * below)
  return {
    int,
    chance: (probability) => next() < probability,
    pick: (values) => values[int(values.length)] ?? values[0],
    weighted: (values) => {
      let left = next() * values.reduce((total, [weight]) => total + weight, 0)
      for (const [weight, value] of values) if ((left -= weight) < 0) return value
      throw new Error("nothing to choose from")
    },
    fork: (...names) => make([seed, ...names].join("/"))
  }
}
