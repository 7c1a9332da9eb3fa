/** The members that every frame of a host may have (protocol.md 2.1). */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { lenient } from "../../domain/conversation/Content.ts"
import { RequestId } from "../../domain/conversation/MessageQueue.ts"

/** A frame without a usable `id` is still handled, and one without a `type` is refused in words of its own. */
const Envelope = Schema.Struct({ id: lenient(RequestId), type: lenient(Schema.String) })
export type Envelope = typeof Envelope.Type

const decode = Schema.decodeUnknownEither(Envelope)

/** Empty for a value that is no frame. */
export const read = (value: unknown): Envelope => Either.getOrElse(decode(value), () => ({}))
