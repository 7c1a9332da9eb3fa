/** Decodes what a host sends, with an error text that names each member that does not fit. */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { explain } from "./explain.ts"
import * as NullMembers from "./NullMembers.ts"

/**
 * Compiled by the first value: most hosts send a handful of kinds, and compiling all of them would delay the start. A
 * value is decoded once more, without members that are null, only if it was refused as it is.
 */
export const make = <A, I>(schema: Schema.Schema<A, I>) => {
  const compile = () => Schema.decodeUnknownEither(schema, { errors: "all" })
  let decode: ReturnType<typeof compile> | undefined
  return (value: unknown): Either.Either<A, string> => {
    const read = (decode ??= compile())
    return Either.mapLeft(
      Either.orElse(read(value), () => read(NullMembers.drop(schema.ast, value))),
      explain
    )
  }
}
