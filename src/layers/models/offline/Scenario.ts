/** The file that the model `offline/script` plays. docs/scenarios.md describes it for authors. */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { JsonObject, optional } from "../../../domain/conversation/Content.ts"
import * as Json from "../../../domain/Json.ts"
import { ModelFailureReason } from "../../../services/model/ModelClient.ts"

const Positive = Schema.Int.pipe(Schema.greaterThanOrEqualTo(1))
const Milliseconds = Schema.Finite.pipe(Schema.nonNegative())
const TokenCount = Schema.Int.pipe(Schema.nonNegative())

/** One complaint about a wrong word instead of one for each right word. */
const oneOf = <L extends readonly [string, ...Array<string>]>(...words: L) =>
  Schema.Literal(...words).annotations({
    message: ({ actual }) => ({
      message: `Expected one of ${words.join(", ")}, actual ${Json.stringify(actual)}`,
      override: true
    })
  })

/** How a block streams; `cutOff` leaves it without its end. */
const pace = {
  chunk: optional(Positive),
  delayMs: optional(Milliseconds),
  cutOff: optional(Schema.Boolean)
}

const TextStep = Schema.Struct({ text: Schema.String, ...pace, repeat: optional(Positive) })

const ThinkingStep = Schema.Struct({
  thinking: Schema.String,
  ...pace,
  repeat: optional(Positive),
  signature: optional(Schema.String),
  redacted: optional(Schema.Boolean)
})

const ScriptedCall = Schema.Struct({
  name: Schema.NonEmptyString,
  id: optional(Schema.NonEmptyString),
  arguments: optional(JsonObject),
  rawArguments: optional(Schema.String)
}).pipe(
  Schema.filter((call) =>
    (call.arguments === undefined) === (call.rawArguments === undefined)
      ? "has exactly one of arguments (an object) and rawArguments (text)"
      : undefined
  )
)

const ToolCallStep = Schema.Struct({ toolCall: ScriptedCall, ...pace })
const WaitStep = Schema.Struct({ wait: Milliseconds })
const HangStep = Schema.Struct({ hang: Schema.Literal(true) })

const FailStep = Schema.Struct({
  fail: Schema.Struct({
    reason: oneOf(...ModelFailureReason.literals),
    message: Schema.String,
    httpStatus: optional(Schema.Int),
    retryAfterMs: optional(Milliseconds)
  })
})

const DisconnectStep = Schema.Struct({ disconnect: Schema.Literal(true) })

const AnyStep = Schema.Union(TextStep, ThinkingStep, ToolCallStep, WaitStep, HangStep, FailStep, DisconnectStep)
export type Step = typeof AnyStep.Type

const options = { errors: "all", onExcessProperty: "error" } as const

const decoders = new Map<string, (input: unknown) => Either.Either<Step, ParseResult.ParseIssue>>([
  ["text", ParseResult.decodeUnknownEither(TextStep, options)],
  ["thinking", ParseResult.decodeUnknownEither(ThinkingStep, options)],
  ["toolCall", ParseResult.decodeUnknownEither(ToolCallStep, options)],
  ["wait", ParseResult.decodeUnknownEither(WaitStep, options)],
  ["hang", ParseResult.decodeUnknownEither(HangStep, options)],
  ["fail", ParseResult.decodeUnknownEither(FailStep, options)],
  ["disconnect", ParseResult.decodeUnknownEither(DisconnectStep, options)]
])

/** A plain union would answer one typo with the complaints of every kind of step; the kind is known by its key. */
const Step = Schema.transformOrFail(Schema.Unknown, Schema.typeSchema(AnyStep), {
  strict: true,
  decode: (input, _, ast) => {
    const keys = Predicate.isRecord(input) ? Object.keys(input) : []
    const [decode, another] = keys.flatMap((key) => decoders.get(key) ?? [])
    if (decode !== undefined && another === undefined) return decode(input)
    const found = keys.length === 0 ? "none of them" : keys.join(", ")
    return ParseResult.fail(
      new ParseResult.Type(
        ast,
        input,
        `A step has exactly one of ${[...decoders.keys()].join(", ")}; this one has ${found}`
      )
    )
  },
  encode: (step) => ParseResult.succeed(step)
})

const isBlock = (step: Step) => "text" in step || "thinking" in step || "toolCall" in step
const isCutOff = (step: Step) => "cutOff" in step && step.cutOff === true
const isEnd = (step: Step) => "hang" in step || "fail" in step || "disconnect" in step

const Turn = Schema.Struct({
  steps: Schema.Array(Step),
  stopReason: optional(oneOf("stop", "length", "toolUse")),
  usage: optional(
    Schema.Struct({
      input: TokenCount,
      output: TokenCount,
      cacheRead: optional(TokenCount),
      cacheWrite: optional(TokenCount)
    })
  )
}).pipe(
  Schema.filter(({ steps }) => {
    const end = steps.findIndex(isEnd)
    if (end !== -1 && end < steps.length - 1) {
      return { path: ["steps", end + 1], message: "is never played: the step before it ends the call" }
    }
    const open = steps.findIndex(isCutOff)
    const next = steps.findIndex((step, index) => open !== -1 && index > open && isBlock(step))
    return next === -1
      ? undefined
      : { path: ["steps", next], message: `cannot follow steps[${open}], whose block is cut off and still open` }
  })
)
export type Turn = typeof Turn.Type

export const Scenario = Schema.Struct({
  $schema: optional(Schema.String),
  description: optional(Schema.String),
  /** What the call after the last turn gets: the first turn, the last turn, or a failure (the default). */
  atEnd: optional(oneOf("repeat", "stay", "fail")),
  turns: Schema.NonEmptyArray(Turn)
}).annotations({ identifier: "Scenario" })
export type Scenario = typeof Scenario.Type

const decodeScenario = Schema.decodeUnknownEither(Scenario, options)

const showPath = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>((shown, key) => {
    if (typeof key === "number") return `${shown}[${key}]`
    return shown === "" ? String(key) : `${shown}.${String(key)}`
  }, "")

const explain = (error: ParseResult.ParseError): string =>
  ParseResult.ArrayFormatter.formatErrorSync(error)
    .map(({ message, path }) => (path.length === 0 ? message : `${showPath(path)}: ${message}`))
    .join("; ")

/** The left side names every wrong place as a path inside the file. */
export const decode = (text: string): Either.Either<Scenario, string> =>
  Json.parse(text).pipe(
    Either.mapLeft((cause) => `not JSON: ${cause}`),
    Either.flatMap((value) => Either.mapLeft(decodeScenario(value), explain))
  )
