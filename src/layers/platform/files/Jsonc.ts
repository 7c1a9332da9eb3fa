/** JSON with comments, as people write settings. */
import * as Either from "effect/Either"

export const parse = (text: string): Either.Either<unknown, string> =>
  Either.try({ try: (): unknown => Bun.JSONC.parse(text), catch: (cause) => String(cause) })
