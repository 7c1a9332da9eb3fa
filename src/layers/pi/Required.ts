/** Extensions that are required and are not there: why, and what a session may do without them. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { failureText } from "../../domain/conversation/AgentEvent.ts"
import * as Text from "../../domain/Text.ts"
import type { SessionHooks } from "../../services/hooks/Hooks.ts"
import type { Missing } from "./discovery/Discovery.ts"
import type { Failed } from "./Loading.ts"

/** heddle does not start without them. */
export class RequiredExtensionMissing extends Schema.TaggedError<RequiredExtensionMissing>()(
  "RequiredExtensionMissing",
  { message: Schema.String }
) {}

const longestPath = 300
const longestReason = 1000

export const missing = (notFound: ReadonlyArray<Missing>, failed: ReadonlyArray<Failed>): ReadonlyArray<Missing> => [
  ...notFound,
  ...failed.flatMap(({ extension, location, message }) =>
    extension.isRequired === true
      ? [
          {
            path: extension.path,
            message: failureText({ error: message, ...(location === undefined ? {} : { location }) })
          }
        ]
      : []
  )
]

/** One sentence for each; the list is not empty. */
const sentences = (list: ReadonlyArray<Missing>): string =>
  list
    .map(({ message, path }) => {
      const reason = Text.name(message, longestReason).replace(/\.$/, "")
      return `The required extension ${Text.name(path, longestPath)} did not load: ${reason}.`
    })
    .join(" ")

export const failure = (list: ReadonlyArray<Missing>): RequiredExtensionMissing => {
  const advice = list.some(({ awaitsTrust }) => awaitsTrust === true)
    ? " If you trust the project, start heddle with --approve; --set requiredExtensions=[] requires nothing."
    : ""
  return new RequiredExtensionMissing({ message: `${sentences(list)}${advice}` })
}

/**
 * Blocks the tool calls of a session while extensions that may be there to judge them are missing: until the user has
 * answered about the project, after a reload that failed, and in a session in which a factory failed.
 */
export const guard = Effect.fnUntraced(function* (
  hooks: typeof SessionHooks.Service,
  missing: () => ReadonlyArray<Missing>
) {
  const registration = yield* hooks.join("required extensions")
  registration.on("toolCall", () => {
    const list = missing()
    return list.length === 0 ? undefined : { block: true, reason: `${sentences(list)} No tool runs without it.` }
  })
})
