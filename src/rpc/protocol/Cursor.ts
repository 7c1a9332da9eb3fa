/** Cursors of lists that are read in pages: text that only we can read. A host sends back the one it was given. */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Json from "../../domain/Json.ts"
import { CommandFailure } from "../Command.ts"

/** Both directions of one kind of cursor. `invalid` answers text that never was one. */
export const make = <A, I>(place: Schema.Schema<A, I>, invalid: string) => {
  const failure = () => new CommandFailure({ code: "invalid_cursor", message: invalid })
  return {
    failure,
    write: (at: A): string => encodeURIComponent(Json.stringify(Schema.encodeSync(place)(at))),
    read: (cursor: string): Either.Either<A, CommandFailure> =>
      Either.try(() => decodeURIComponent(cursor)).pipe(
        Either.flatMap(Json.parse),
        Either.flatMap(Schema.decodeUnknownEither(place)),
        Either.mapLeft(failure)
      )
  }
}
