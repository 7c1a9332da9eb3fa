/** Builds a schema when it is first used: a process needs few of them to start, and each takes a tenth of a millisecond. */
import type * as Schema from "effect/Schema"

export const lazy = <S extends Schema.Schema.Any>(make: () => S): (() => S) => {
  let made: S | undefined
  return () => (made ??= make())
}

export type Type<Lazy extends () => Schema.Schema.Any> = Schema.Schema.Type<ReturnType<Lazy>>
