/** Says what is wrong with the members of a command: `"message" must be a string`. */
import * as Option from "effect/Option"
import type * as ParseResult from "effect/ParseResult"
import * as AST from "effect/SchemaAST"

interface Problem {
  readonly path: ReadonlyArray<PropertyKey>
  readonly expected: string
}

/** What a host author would call the type; names of our own types would tell them nothing. */
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
      return JSON.stringify(ast.literal)
    case "Union":
      return ast.types.map(describe).join(" or ")
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
      // The members of a union say more together than its first one alone.
      if (issue.ast._tag === "Union") return [{ path, expected: describe(issue.ast) }]
      return isList(issue.issues)
        ? issue.issues.flatMap((inner) => problems(inner, path))
        : problems(issue.issues, path)
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

export const explain = (error: ParseResult.ParseError): string =>
  problems(error.issue, [])
    .map(({ expected, path }) => `"${render(path)}" must be ${expected}`)
    .join("; ")
