/** Checks arguments against the JSON Schema that a host gave (docs/decisions/0009-host-tool-schemas.md). */
import { type SchemaDraft, Validator } from "@cfworker/json-schema"
import * as Either from "effect/Either"
import type { JsonObject } from "../../../domain/conversation/Content.ts"

const mostProblems = 5

const draftOf = ({ $schema }: JsonObject): SchemaDraft => {
  if (typeof $schema !== "string") return "2020-12"
  if ($schema.includes("draft-04")) return "4"
  if ($schema.includes("draft-07") || $schema.includes("draft-06")) return "7"
  return $schema.includes("2019-09") ? "2019-09" : "2020-12"
}

interface Problem {
  readonly keyword: string
  readonly instanceLocation: string
  readonly error: string
}

/** `#/options/0/name` as `options.0.name`. */
const path = (location: string) =>
  location
    .slice(2)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .join(".")

/** The validator reports each problem again for every enclosing value. A missing member is a problem of its own there. */
const innermost = (problems: ReadonlyArray<Problem>) => {
  const enclosing = new Set<string>()
  for (const { instanceLocation: here } of problems)
    for (
      let at = here.lastIndexOf("/");
      at > 0 && !enclosing.has(here.slice(0, at));
      at = here.lastIndexOf("/", at - 1)
    )
      enclosing.add(here.slice(0, at))
  return problems.filter(({ instanceLocation, keyword }) => keyword === "required" || !enclosing.has(instanceLocation))
}

const explain = (problems: ReadonlyArray<Problem>): string => {
  const lines = innermost(problems).map(({ error, instanceLocation }) =>
    instanceLocation === "#" ? error : `${path(instanceLocation)}: ${error}`
  )
  return [...new Set(lines)].slice(0, mostProblems).join(" ")
}

const unusable = (cause: unknown) => `The JSON Schema of its parameters cannot be used: ${cause}`

/** An error text for the model; undefined when the arguments are valid. */
export const problemOf = (parameters: JsonObject, args: JsonObject): string | undefined =>
  // The validator writes into the schema it gets, and models are sent the host's schema.
  Either.try(() => new Validator(structuredClone(parameters), draftOf(parameters), false).validate(args)).pipe(
    Either.match({
      onLeft: unusable,
      onRight: ({ errors, valid }) => (valid ? undefined : explain(errors))
    })
  )
