/** Highlights code with highlight.js, for the languages that coding agents meet. Its markup is sanitised before use. */
import DOMPurify from "dompurify"
import core from "highlight.js/lib/core"
import { attempt } from "./Json.ts"
import * as languages from "./Languages.ts"

for (const [name, grammar] of Object.entries(languages)) core.registerLanguage(name, grammar)

/** Longer texts are not highlighted, because that takes too long. */
const mostCharacters = 60_000

const whole: Readonly<Record<string, string>> = {
  dockerfile: "dockerfile",
  makefile: "makefile",
  "cmakelists.txt": "cmake"
}

/** Undefined if no language is known for the file. */
export const languageOf = (path: string): string | undefined => {
  const name = (path.split(/[\\/]/).at(-1) ?? "").toLowerCase()
  const wanted = whole[name] ?? name.split(".").at(-1) ?? ""
  return core.getLanguage(wanted) === undefined ? undefined : wanted
}

export const highlight = (code: string, language: string | undefined): Node => {
  const plain = () => document.createTextNode(code)
  if (language === undefined || code.length > mostCharacters || core.getLanguage(language) === undefined) return plain()
  return attempt(() => {
    const { value } = core.highlight(code, { language, ignoreIllegals: true })
    return DOMPurify.sanitize(value, { ALLOWED_TAGS: ["span"], ALLOWED_ATTR: ["class"], RETURN_DOM_FRAGMENT: true })
  }, plain)
}
