/** The sentences about trust. Names come from the project, so they are shortened and lose control characters. */
import * as Text from "../../../domain/Text.ts"
import type { TrustLevel, TrustQuestion } from "../../../services/Trust.ts"

const longestList = 20
const longestName = 200

const shown = (name: string): string => Text.name(name, longestName)

const list = (names: ReadonlyArray<string>): string => {
  const more = names.length - longestList
  return names.slice(0, longestList).map(shown).join(", ") + (more > 0 ? ` and ${more} more` : "")
}

/** `parts` is not empty. */
export const leftOut = (parts: ReadonlyArray<string>, level: TrustLevel, changes: string | undefined): string => {
  if (level === "trusted") return `These parts of the project could not be read: ${list(parts)}.`
  const why =
    changes === undefined
      ? "is not trusted"
      : `has changed since you decided about it (${shown(changes)}), and is not trusted`
  return (
    `This project ${why}, so these were left out: ${list(parts)}. ` +
    "To allow them, start heddle with --approve, or put the settings into your own settings.json."
  )
}

/** Settings of a project that no trust lets count. Not empty. */
export const loosening = (keys: ReadonlyArray<string>): string =>
  `These settings of the project would loosen what protects you, so they were left out: ${list(keys)}. ` +
  "Only your own settings.json and the command line may set them so."

export interface Asking {
  readonly cwd: string
  readonly extensions: ReadonlyArray<string>
  /** Settings and keys. */
  readonly others: ReadonlyArray<string>
  readonly changes?: string
}

export const question = ({ changes, cwd, extensions, others }: Asking): TrustQuestion => {
  const parts = [
    ...(extensions.length === 0 ? [] : [`Extensions: ${list(extensions)}.`]),
    ...(others.length === 0 ? [] : [`Settings and keys: ${list(others)}.`]),
    ...(changes === undefined ? [] : [`Changed since you last decided: ${shown(changes)}.`])
  ]
  return {
    title: "Trust this project?",
    message:
      `${shown(cwd)} has code or settings that can run anything with your rights. ` +
      `${parts.join(" ")} Say yes only if you know who wrote them.`
  }
}

export interface Answered {
  readonly level: TrustLevel
  readonly hasOthers: boolean
  /** Why the answer was not stored. */
  readonly problem?: string | undefined
  /** The words of `leftOut`, if they are not known yet. */
  readonly leftOut?: string | undefined
}

/** What follows from the answer. */
export const answered = ({ hasOthers, leftOut: left, level, problem }: Answered): string => {
  const later = hasOthers ? " Its settings and the keys in its .env count from the next start." : ""
  const first =
    level === "trusted"
      ? `This project is trusted: its extensions load.${later}`
      : (left ?? "This project is not trusted.")
  return problem === undefined ? first : `${first} The answer was not stored, so heddle will ask again: ${problem}.`
}

export const changedMeanwhile =
  "This project is not trusted: it changed while the question was open. heddle will ask again at the next start."
