/** Checks custom messages of extensions, which are not typed, before a session takes them. */
import * as Either from "effect/Either"
import type { CustomInput } from "../../../domain/conversation/Message.ts"
import * as JsonValue from "../../../domain/JsonValue.ts"
import { isCustomInput } from "../../../domain/session/EntryShape.ts"
import { NotStorable } from "../../../services/Sending.ts"

const shape = 'expected a "customType" text, "content" that is a text or a list of text and image blocks, and "display"'

/** A copy of the message as the session file will have it. */
export const check = (
  { content, customType, details, display }: CustomInput,
  maxLength: number
): Either.Either<CustomInput, NotStorable> => {
  const refused = (problem: string) => new NotStorable({ subject: "message", problem })
  return JsonValue.snapshot({ customType, content, display, details }, maxLength).pipe(
    Either.mapLeft(refused),
    Either.filterOrLeft(isCustomInput, () => refused(shape))
  )
}
