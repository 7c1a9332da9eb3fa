/** Members that never make a frame unfit: what a host may have meant by them is not worth a refusal. */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { optional } from "../../domain/conversation/Content.ts"

/** A member of a struct. A value that does not fit counts as absent. */
export const lenient = <A, I>(schema: Schema.Schema<A, I>) =>
  optional(Schema.UndefinedOr(schema).annotations({ decodingFallback: () => Either.right(undefined) }))
