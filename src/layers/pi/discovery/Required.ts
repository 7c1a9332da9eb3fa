/** What settings name as required: heddle does not start unless each of it is found and loads. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { SourceInfo } from "../../../domain/extension/SourceInfo.ts"
import type { DeclaredRequirement } from "../../workspace/settings/Declared.ts"
import type { Missing } from "./Discovery.ts"
import type { Gathering } from "./Gathering.ts"
import type { Look } from "./Look.ts"
import * as Packages from "./Packages.ts"

export const noneThere = "there is no extension"

interface Requests {
  readonly scope: "project" | "user"
  readonly requests: ReadonlyArray<DeclaredRequirement>
  readonly agentDirs: ReadonlyArray<string>
  readonly trusted: boolean
  readonly noExtensions: boolean
}

/** Why nothing of it may load. */
const barred = ({ noExtensions, scope, trusted }: Requests): Omit<Missing, "path"> | undefined => {
  if (noExtensions) return { message: "--no-extensions leaves it out" }
  if (scope === "user" || trusted) return undefined
  return { message: "this project requires it and is not trusted", awaitsTrust: true }
}

/** Adds what is found to the rest, and returns what is not. Nothing that may not load is looked at. */
export const gather = Effect.fnUntraced(function* (look: Look, gathering: Gathering, options: Requests) {
  const { agentDirs, requests, scope } = options
  const bar = barred(options)
  if (bar !== undefined) return requests.map(({ spec }): Missing => ({ path: spec, ...bar }))
  const missing: Array<Missing> = []
  for (const request of requests) {
    if (request.problem !== undefined) {
      missing.push({ path: request.spec, message: request.problem })
      continue
    }
    const located = yield* Packages.locate(look, request, agentDirs)
    const paths = Either.isLeft(located) ? [] : (yield* Packages.resources(look, located.right, {})).extensions
    if (paths.length === 0) {
      missing.push({ path: request.spec, message: Either.isLeft(located) ? located.left : noneThere })
    }
    const origin: Omit<SourceInfo, "path"> = { source: "local", scope, origin: "top-level", baseDir: request.baseDir }
    for (const path of paths) yield* gathering.extension(path, origin, { isExplicit: true, isRequired: true })
  }
  return missing
})
