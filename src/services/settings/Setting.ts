/** One setting: its type, what it does, and who may change it. */
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

export interface Marks {
  /**
   * Counts even in the file of a project that nobody trusts. A setting without the mark counts only in the user's own
   * files, with `--set`, and in projects that are trusted. Mark nothing that chooses a model, an address, a command, a
   * path, spending, what is loaded, or where sessions are kept (protocol.md 11.5).
   */
  readonly free?: true
  /** Files cannot change it in rpc mode, so that a host sees the same agent on every machine (protocol.md 1.3). */
  readonly reset?: true
  /** Reserved: the feature does not exist, so whoever sets it is told. */
  readonly planned?: true
}

const key = Symbol.for("heddle/services/Settings/marks")
const none: Marks = {}

export const setting = <A, I>(schema: Schema.Schema<A, I>, description: string, marks: Marks = none) =>
  schema.annotations({ description, [key]: marks })

export const marksOf = (type: SchemaAST.AST): Marks =>
  Option.getOrElse(SchemaAST.getAnnotation<Marks>(key)(type), () => none)
