/** Cursors: text that means something to us only. Whoever gets one back decides whether it still holds. */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Json from "../../domain/Json.ts"

export const make = <A, I>(schema: () => Schema.Schema<A, I>) => ({
  write: (place: A): string => encodeURIComponent(JSON.stringify(Schema.encodeSync(schema())(place))),
  /** None for what was never a cursor. */
  read: (cursor: string): Option.Option<A> =>
    Either.try(() => decodeURIComponent(cursor)).pipe(
      Either.flatMap(Json.parse),
      Either.getRight,
      Option.flatMap(Schema.decodeUnknownOption(schema()))
    )
})
