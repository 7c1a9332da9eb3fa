/** Reads what foreign code returns as the result of a tool call: checked, and within bounds. */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Json from "../../../domain/Json.ts"
import { type InputContent, type JsonObject, plainText, text } from "../../../domain/conversation/Content.ts"
import type { ToolOutput } from "../../../domain/conversation/Message.ts"
import * as JsonValue from "../../../domain/JsonValue.ts"
import { Usage } from "../../../domain/model/Usage.ts"
import { defined } from "../../../domain/Values.ts"
import { type ToolAnswer, ToolFailure } from "../../../services/Tools.ts"
import * as ForeignValue from "../../machine/foreign/ForeignValue.ts"

/** Characters of all text blocks, of all images, and of the details as JSON. */
const mostText = 1_000_000
const mostImages = 20_000_000
const mostDetails = 4_000_000
const mostBlocks = 1000

type Read<A> = Either.Either<A, string>

const blockOf = (block: unknown, at: number): Read<InputContent> => {
  const { data, mimeType, text: said, type } = Predicate.isReadonlyRecord(block) ? block : {}
  if (type === "text" && typeof said === "string") return Either.right(text(said))
  if (type === "image" && typeof data === "string" && typeof mimeType === "string")
    return Either.right({ type, data, mimeType })
  return Either.left(`content[${at}] must be a text block {type, text} or an image block {type, data, mimeType}`)
}

/** Cuts the text where it becomes too long, and adds a note. */
const bounded = (blocks: ReadonlyArray<InputContent>): Read<ReadonlyArray<InputContent>> => {
  const images = blocks.reduce((size, block) => size + (block.type === "image" ? block.data.length : 0), 0)
  if (images > mostImages) return Either.left(`its images have more than ${mostImages} characters`)
  const all = blocks.reduce((size, block) => size + (block.type === "text" ? block.text.length : 0), 0)
  if (all <= mostText) return Either.right(blocks)
  let left = mostText
  const kept = blocks.flatMap((block): ReadonlyArray<InputContent> => {
    if (block.type !== "text") return [block]
    const said = block.text.slice(0, left)
    left -= said.length
    return said === "" ? [] : [text(said)]
  })
  return Either.right([...kept, text(`[Output truncated: the first ${mostText} of ${all} characters]`)])
}

const contentOf = (content: unknown): Read<ReadonlyArray<InputContent>> => {
  if (content === undefined || content === null) return Either.right([])
  if (typeof content === "string") return bounded([text(content)])
  if (!Array.isArray(content)) return Either.left("content must be an array of text and image blocks")
  if (content.length > mostBlocks) return Either.left(`content has more than ${mostBlocks} blocks`)
  return Either.flatMap(
    Either.all(Array.from({ length: content.length }, (_, at) => blockOf(content[at], at))),
    bounded
  )
}

/** Details are an object, so other values become a member of one. A copy: code of others must not run where they are shown. */
const detailsOf = (details: unknown): Read<{ readonly details?: JsonObject }> => {
  if (details === undefined || details === null) return Either.right({})
  return Either.map(JsonValue.plain(details), (plain) => {
    const size = Json.stringify(plain)?.length ?? 0
    if (size > mostDetails)
      return { details: { omitted: `The details have ${size} characters; at most ${mostDetails} are kept` } }
    return { details: Predicate.isReadonlyRecord(plain) ? plain : { value: plain } }
  }).pipe(Either.mapLeft((problem) => `its details ${problem}`))
}

const partsOf = (result: unknown): Read<ToolOutput> => {
  const { content, details } = Predicate.isReadonlyRecord(result) ? result : { content: result, details: undefined }
  return Either.flatMap(contentOf(content), (blocks) =>
    Either.map(detailsOf(details), (rest) => ({ content: blocks, ...rest }))
  )
}

const usageOf = Schema.decodeUnknownOption(Schema.suspend(() => Usage))

const answerOf = (result: unknown): Read<{ readonly answer: ToolAnswer; readonly isError: boolean }> =>
  Either.map(partsOf(result), (output) => {
    const { isError, terminate, usage } = Predicate.isReadonlyRecord(result) ? result : {}
    const spent = Option.getOrUndefined(usageOf(usage))
    const ends = terminate === true ? ({ terminate } as const) : {}
    return {
      answer: { ...output, ...ends, ...defined({ usage: spent }) },
      isError: isError === true
    }
  })

/** Members of foreign objects may be getters that throw. */
const safely = <A>(read: () => Read<A>): Read<A> =>
  Either.flatMap(Either.try({ try: read, catch: ForeignValue.shown }), (parts) => parts)

/** A report of progress; undefined where it cannot be shown. */
export const progress = (partial: unknown): ToolOutput | undefined =>
  Option.getOrUndefined(Either.getRight(safely(() => partsOf(partial))))

export const read = (name: string, result: unknown): Either.Either<ToolAnswer, ToolFailure> => {
  const unusable = (problem: string) => new ToolFailure({ message: `The result of ${name} cannot be used: ${problem}` })
  return Either.flatMap(
    Either.mapLeft(
      safely(() => answerOf(result)),
      unusable
    ),
    ({ answer, isError }) => {
      const { usage: _, ...failed } = answer
      return isError
        ? Either.left(new ToolFailure({ message: plainText(answer.content), ...failed }))
        : Either.right(answer)
    }
  )
}
