/** A package of the corpus: where it comes from, how it is loaded, and the behaviours it must show. */
import { Failure } from "./host/Host.ts"
import { brief } from "./host/Frames.ts"
import type { Session } from "./host/Session.ts"

export type Source =
  /** One of the examples that pi publishes with its package. */
  | { readonly example: string }
  | {
      readonly npm: string
      /** Relative to the package; each becomes an `-e`. */
      readonly entries: ReadonlyArray<string>
      /** Without the packages it depends on, where those are large and it does without them. */
      readonly bare?: true
    }

export interface Behaviour {
  /** Trigger → what can be seen. */
  readonly title: string
  /** Throws a `Failure` with the reason if the behaviour does not show. */
  readonly check: (session: Session) => Promise<void>
}

export interface Package {
  readonly source: Source
  /** Checked in this order, in one process. */
  readonly behaviours: ReadonlyArray<Behaviour>
}

export const nameOf = ({ source }: Package): string => ("npm" in source ? source.npm : `example ${source.example}`)

export const expect = (holds: boolean, reason: string): void => {
  if (!holds) throw new Failure(reason)
}

export const same = (actual: unknown, wanted: unknown, what: string): void =>
  expect(Bun.deepEquals(actual, wanted), `${what} is ${brief(actual)}, not ${brief(wanted)}`)

export const contains = (actual: string, part: string, what: string): void =>
  expect(actual.includes(part), `${what} does not contain "${part}": ${brief(actual)}`)
