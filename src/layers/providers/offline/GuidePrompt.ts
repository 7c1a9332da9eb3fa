/** What a prompt asks of `offline/guide`: small talk, or a look at some paths. Pure. */

export interface Target {
  readonly path: string
  /** A guess from the name alone; a tool result may prove it wrong. */
  readonly kind: "file" | "folder"
}

export type Intent =
  | { readonly _tag: "Greeting" | "Help" | "Identity" | "ImagesOnly" }
  /** `targets` is empty when the prompt names no path: then it is about the working folder. */
  | { readonly _tag: "Look"; readonly targets: ReadonlyArray<Target> }

const maxTargets = 3
/** Prompts may hold whole files; what is asked stands near the start. */
const searched = 4000

const greeting =
  /^(hi|hello|hey|howdy|good (morning|afternoon|evening)|thanks?|thank you)\b[\s,]*(there|heddle)?[\s!.]*$/i
const help = /^\/?help( me)?[\s!.?]*$|^(what can you do|how (do|can) i (use|start)( this| you| heddle)?)[\s?.!]*$/i
const identity =
  /^(who|what) are you[\s?.!]*$|^what('s| is) your name[\s?.!]*$|^(which|what) model (are you|is this)[\s?.!]*$|^are you (an? )?(ai|llm|bot|language model|real model|human|claude|gpt)\b[^\n]*$/i

const notPaths = new Set(
  "e.g i.e etc a.m p.m node.js next.js vue.js and/or either/or yes/no n/a w/o i/o input/output read/write ci/cd tcp/ip".split(
    " "
  )
)
const hasExtension = /(^|[^.\s])\.[A-Za-z][A-Za-z0-9]{0,9}$/
const isDots = /^\.{1,2}\/?$/

const looksLikePath = (word: string): boolean => {
  if (isDots.test(word)) return true
  if (notPaths.has(word.toLowerCase()) || /:\/\/|^www\.|[<>|*?]|.@/.test(word)) return false
  return /[A-Za-z]/.test(word) && (word.includes("/") || hasExtension.test(word))
}

/** Without the brackets, quotes and punctuation that prose puts around a name, and without `:line:column`. */
const bare = (word: string): string => {
  const inner = word.replace(/^[("'`[@]+/, "").replace(/[)"'`\],;:!?]+$/, "")
  return isDots.test(inner) ? inner : inner.replace(/[)"'`\],;:!?.]+$/, "").replace(/:\d+(:\d+)?$/, "")
}

const fileNames = /^(readme|license|licence|makefile|dockerfile|changelog|contributing|notice)$/i
const dotFolders = /^\.(git|github|vscode|idea|config|cache|claude|husky)$/

const toTarget = (path: string): Target => {
  const name = path.split("/").at(-1) ?? ""
  const isFile = name !== "" && !isDots.test(name) && !dotFolders.test(name)
  return { path, kind: isFile && (hasExtension.test(name) || fileNames.test(name)) ? "file" : "folder" }
}

/** Takes the punctuation behind it along, or a full stop would be left as the path `.`. */
const quoted = /(?<=^|[\s(])(["'`])([^"'`\n]{1,200})\1[).,;:!?]*(?=$|\s)/g

export const namedPaths = (prompt: string): ReadonlyArray<Target> => {
  const text = prompt.slice(0, searched)
  const inQuotes = [...text.matchAll(quoted)]
    .map(([, , inner = ""]) => inner.trim())
    .filter((inner) => looksLikePath(inner) || /^[\w.-]*\w$/.test(inner))
  const inProse = text.replace(quoted, " ").split(/\s+/).map(bare).filter(looksLikePath)
  return [...new Set([...inQuotes, ...inProse])].slice(0, maxTargets).map(toTarget)
}

/** The words of a prompt in lower case, to compare with the names in a listing. */
export const words = (prompt: string): ReadonlySet<string> =>
  new Set(
    prompt
      .slice(0, searched)
      .toLowerCase()
      .split(/\s+/)
      .map(bare)
      .filter((word) => word.length > 1)
  )

export const read = (prompt: string, images: number): Intent => {
  const text = prompt.trim()
  if (text === "" && images > 0) return { _tag: "ImagesOnly" }
  if (greeting.test(text)) return { _tag: "Greeting" }
  if (help.test(text)) return { _tag: "Help" }
  if (identity.test(text)) return { _tag: "Identity" }
  return { _tag: "Look", targets: namedPaths(text) }
}
