/**
 * Settings of other programs of the family, in files that heddle shares with them. They are no mistakes: one sentence
 * names them, and hosts get it once for the same settings.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Json from "../../../domain/Json.ts"
import type { Files } from "../../machine/files/own/OwnFiles.ts"
import * as ReadText from "../../machine/files/ReadText.ts"
import * as ContentHash from "../../machine/files/folders/ContentHash.ts"
import * as Problems from "./Problems.ts"
import type { Problem } from "./SettingsMerge.ts"

/** Settings of pi with names like one of ours. */
const likeOurs: ReadonlySet<string> = new Set(["defaultTools", "retry.maxAgentDelayMs"])

/** A name is compared with all of ours, which takes too long for files with thousands of names. */
const mostCompared = 200

const nameOf = ({ path }: Problem) => path.join(".")

/** A name on the command line, or one like a setting of ours, is a mistake. */
const isForeign = (problem: Problem, at: number): boolean => {
  if (problem.kind !== "unknown" || problem.source.text === undefined) return false
  const name = nameOf(problem)
  return likeOurs.has(name) || at >= mostCompared || Problems.meant(name) === undefined
}

export const split = (problems: ReadonlyArray<Problem>) => {
  const [mistakes, foreign]: [Array<Problem>, Array<Problem>] = [[], []]
  for (const [at, problem] of problems.entries()) (isForeign(problem, at) ? foreign : mistakes).push(problem)
  return { mistakes, foreign }
}

const mostNames = 5

/** `foreign` is not empty. */
export const sentence = (foreign: ReadonlyArray<Problem>): string => {
  const files = [...new Set(foreign.map(({ source }) => source.name))].join(", ")
  const names = foreign.slice(0, mostNames).map((problem) => Problems.shown(nameOf(problem)))
  const more = foreign.length - names.length
  return `heddle has no settings of these names: ${names.join(", ")}${more > 0 ? ` and ${more} more` : ""} (${files})`
}

const decode = Schema.decodeUnknownOption(
  Schema.Struct({ version: Schema.Literal(1), foreignSettings: Schema.Array(Schema.String) })
)

/** Versions of files, of the user and of projects. */
const mostKept = 200

/** The sentence, unless it was asked for before about the same settings. Where that cannot be noted, it comes again. */
export const once = Effect.fnUntraced(function* (files: Files, agentDir: string, foreign: ReadonlyArray<Problem>) {
  const path = `${agentDir}/notices.json`
  const text = Option.flatten(yield* Effect.option(ReadText.readIfPresent(files, path)))
  const stored = Option.flatMap(text, (found) => Option.flatMap(Either.getRight(Json.parse(found)), decode))
  const reported = Option.isNone(stored) ? [] : stored.value.foreignSettings
  const digest = ContentHash.ofTexts(foreign.map((problem) => `${problem.source.name} ${nameOf(problem)}`).toSorted())
  if (reported.includes(digest)) return undefined
  const noted = { version: 1, foreignSettings: [...reported, digest].slice(-mostKept) }
  const writing = Effect.zipRight(files.makeFolder(agentDir), files.replace(path, `${JSON.stringify(noted)}\n`, 0o600))
  yield* Effect.ignore(writing)
  return sentence(foreign)
})
