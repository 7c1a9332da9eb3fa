/** Says what is wrong with the members of a command: `"message" must be a string`. */
import type * as ParseResult from "effect/ParseResult"

interface Problem {
  readonly path: ReadonlyArray<PropertyKey>
  readonly expected: string
}

const articles: Readonly<Record<string, string>> = {
  string: "a string",
  boolean: "true or false",
  number: "a number",
  object: "an object"
}

const isList = <A>(value: A | ReadonlyArray<A>): value is ReadonlyArray<A> => Array.isArray(value)

const problems = (issue: ParseResult.ParseIssue, path: ReadonlyArray<PropertyKey>): ReadonlyArray<Problem> => {
  switch (issue._tag) {
    case "Pointer":
      return problems(issue.issue, [...path, ...(Array.isArray(issue.path) ? issue.path : [issue.path])])
    case "Composite": {
      // The members of a union say more together than its first one alone.
      if (issue.ast._tag === "Union") return [{ path, expected: String(issue.ast) }]
      return isList(issue.issues)
        ? issue.issues.flatMap((inner) => problems(inner, path))
        : problems(issue.issues, path)
    }
    case "Refinement":
      return issue.kind === "From" ? problems(issue.issue, path) : [{ path, expected: String(issue.ast) }]
    case "Transformation":
      return problems(issue.issue, path)
    case "Unexpected":
      return [{ path, expected: "left out" }]
    case "Missing":
    case "Type":
    case "Forbidden":
      return [{ path, expected: String(issue.ast) }]
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
    .map(({ expected, path }) => `"${render(path)}" must be ${articles[expected] ?? expected}`)
    .join("; ")
