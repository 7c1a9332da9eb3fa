/** Schemas that are made when they are first used: a start needs few of them, and each costs it a tenth of a millisecond. */
import type * as Schema from "effect/Schema"

export const lazy = <S extends Schema.Schema.Any>(make: () => S): (() => S) => {
  let made: S | undefined
  return () => (made ??= make())
}

/** What a lazy schema describes. */
export type Type<Lazy extends () => Schema.Schema.Any> = Schema.Schema.Type<ReturnType<Lazy>>
