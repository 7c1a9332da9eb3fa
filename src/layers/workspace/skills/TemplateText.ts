/** The text of a prompt template with its arguments put in. Pure. */
import * as Either from "effect/Either"

/** Quotes hold words together where they begin a word, so that "don't" needs no care. A backslash keeps a quote or a space. */
const word = /"((?:\\["\\]|\\(?!["\\])|[^"\\])*)"(?=\s|$)|'([^']*)'(?=\s|$)|((?:\\[\s"'\\]|\\(?![\s"'\\])|[^\s\\])+)/g

const unescaped = (text: string) => text.replaceAll(/\\([\s"'\\])/g, "$1")

export const wordsOf = (args: string): ReadonlyArray<string> =>
  [...args.matchAll(word)].map(([, double, single, plain]) => single ?? unescaped(double ?? plain ?? ""))

/** `$1`, `$@`, `$ARGUMENTS`, `${1:-default}`, `${@:-default}`, `${@:2}`, `${@:2:1}`. */
const placeholder =
  /\$\{(\d{1,3}|@|ARGUMENTS)(?::-([^{}\n]{0,500}))?\}|\$\{@:(\d{1,3})(?::(\d{1,3}))?\}|\$(\d{1,3}|@|ARGUMENTS(?!\w))/g

const valueOf = (words: ReadonlyArray<string>, [, name, otherwise, from, count, bare]: RegExpExecArray): string => {
  if (from !== undefined) {
    const first = Math.max(0, Number(from) - 1)
    return words.slice(first, count === undefined ? undefined : first + Number(count)).join(" ")
  }
  const which = name ?? bare ?? ""
  const value = /^\d/.test(which) ? (words[Number(which) - 1] ?? "") : words.join(" ")
  return value === "" ? (otherwise ?? "") : value
}

/** Longer than a template and its arguments are meant to become. */
export const longest = 1024 * 1024

/** Arguments that the template does not ask for stand below it, so that no word of the user is lost. */
export const fill = (template: string, args: string): Either.Either<string, string> => {
  const words = wordsOf(args)
  let [text, end, isUsed] = ["", 0, false]
  for (const found of template.matchAll(placeholder)) {
    text += template.slice(end, found.index) + valueOf(words, found)
    if (text.length > longest) return Either.left(`the text would be longer than ${longest / 1024} KiB`)
    end = found.index + found[0].length
    isUsed = true
  }
  text += template.slice(end)
  return Either.right(isUsed || words.length === 0 ? text : `${text}\n\n${args.trim()}`)
}
