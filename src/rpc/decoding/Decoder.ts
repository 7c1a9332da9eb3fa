/** Decodes what a host sends, with an error text that names each member that does not fit. */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import * as Json from "../../domain/Json.ts"
import * as NullMembers from "./NullMembers.ts"

interface Problem {
  readonly path: ReadonlyArray<PropertyKey>
  readonly expected: string
}

/** The type in words for host authors, who do not know the names of our schemas. */
const describe = (ast: AST.AST | AST.Type): string => {
  if (!("_tag" in ast)) return describe(ast.type)
  switch (ast._tag) {
    case "StringKeyword":
      return "a string"
    case "NumberKeyword":
      return "a number"
    case "BooleanKeyword":
      return "true or false"
    case "Literal":
      return Json.stringify(ast.literal)
    case "Union":
      return [...new Set(ast.types.map(describe))].join(" or ")
    case "TupleType":
      return "an array"
    case "TypeLiteral":
      return "an object"
    case "Refinement":
      return Option.getOrElse(AST.getDescriptionAnnotation(ast), () => describe(ast.from))
    default:
      return String(ast)
  }
}

const isList = <A>(value: A | ReadonlyArray<A>): value is ReadonlyArray<A> => Array.isArray(value)

const problems = (issue: ParseResult.ParseIssue, path: ReadonlyArray<PropertyKey>): ReadonlyArray<Problem> => {
  switch (issue._tag) {
    case "Pointer":
      return problems(issue.issue, [...path, ...(isList(issue.path) ? issue.path : [issue.path])])
    case "Composite": {
      const inner = isList(issue.issues) ? issue.issues : [issue.issues]
      // All members of a union together say more than the error of its first one, unless a literal names the one meant.
      if (issue.ast._tag === "Union" && inner.length > 1) return [{ path, expected: describe(issue.ast) }]
      return inner.flatMap((each) => problems(each, path))
    }
    case "Refinement":
      return issue.kind === "From" ? problems(issue.issue, path) : [{ path, expected: describe(issue.ast) }]
    case "Transformation":
      return problems(issue.issue, path)
    case "Unexpected":
      return [{ path, expected: "left out" }]
    case "Missing":
    case "Type":
    case "Forbidden":
      return [{ path, expected: describe(issue.ast) }]
  }
}

/** `images[0].mimeType` */
const render = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`),
    ""
  )

/** A list may be wrong in every one of its members. */
const mostNamed = 10

/** The error text for members of a command that do not fit its schema: `"message" must be a string`. */
const explain = (error: ParseResult.ParseError): string => {
  const all = problems(error.issue, [])
  const named = all.slice(0, mostNamed).map(({ expected, path }) => `"${render(path)}" must be ${expected}`)
  return (all.length > mostNamed ? [...named, `and ${all.length - mostNamed} more`] : named).join("; ")
}

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
