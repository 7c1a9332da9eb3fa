/** One setting: its type, what it does, its default, and who may change it. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { optional } from "../../domain/conversation/Content.ts"

export interface Marks {
  /**
   * Counts even in the file of a project that is not trusted. A setting without the mark counts only in the user's own
   * files, with `--set`, and in projects that are trusted. Mark nothing that chooses a model, an address, a command, a
   * path, spending, what is loaded, or where sessions are kept (protocol.md 11.5).
   */
  readonly free?: true
  /** Files cannot change it in rpc mode, so that a host sees the same agent on every machine (protocol.md 1.3). */
  readonly reset?: true
  /** The lists of all sources add up. */
  readonly adds?: true
  /**
   * What a project's files may say, trusted or not, whatever the command line says, because the setting protects the user: more members of a list, a later
   * one of the literals (they are in order, from loose to strict), a lower number, or nothing.
   */
  readonly project?: "more" | "stricter" | "lower" | "nothing"
  /** Reserved: the feature does not exist, so setting it is reported. */
  readonly planned?: true
}

const key = Symbol.for("heddle/services/Settings/marks")
const none: Marks = {}

const marked = <A, I>(schema: Schema.Schema<A, I>, description: string, marks: Marks) =>
  schema.annotations({ description, [key]: marks })

export const setting = <A, I>(
  schema: Schema.Schema<A, I>,
  description: string,
  { default: initial, ...marks }: Marks & { readonly default: NoInfer<A> }
) => Schema.withConstructorDefault(Schema.propertySignature(marked(schema, description, marks)), () => initial)

/** A setting that is on or off. */
export const flag = (initial: boolean, description: string, ...marks: ReadonlyArray<"free" | "reset" | "planned">) =>
  setting(Schema.Boolean, description, { default: initial, ...Object.fromEntries(marks.map((mark) => [mark, true])) })

/** A setting that is unset by default. */
export const optionalSetting = <A, I>(schema: Schema.Schema<A, I>, description: string, marks: Marks = none) =>
  optional(marked(schema, description, marks))

export const marksOf = (type: SchemaAST.AST): Marks =>
  Option.getOrElse(SchemaAST.getAnnotation<Marks>(key)(type), () => none)

/** Types that several settings have. */
export const count = Schema.Int.pipe(Schema.positive())
export const countOrNone = Schema.Int.pipe(Schema.nonNegative())
export const texts = Schema.Array(Schema.String)
