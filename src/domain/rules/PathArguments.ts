/**
 * The paths among the arguments of a tool call that is still arriving: complete texts under `path`, `paths` or a key that
 * ends in `path`, at the top level. Looks at each character once.
 */
import * as Either from "effect/Either"
import * as Json from "../Json.ts"

export interface PathArguments {
  readonly push: (text: string) => void
  /** Those that are complete so far. */
  readonly paths: () => ReadonlyArray<string>
}

const isPathKey = (key: string) => /path$/i.test(key) || key.toLowerCase() === "paths"

/** More and longer ones are not what a tool takes. */
const mostPaths = 100
const longestText = 4096

export const make = (): PathArguments => {
  const paths: Array<string> = []
  let depth = 0
  /** The text at hand with its first quote, as long as it may be a key or a path. */
  let text: string | undefined
  let isEscaped = false
  let inText = false
  let key = ""
  let isKey = false

  const endText = () => {
    const parsed = text === undefined ? Either.left("not kept") : Json.parse(`${text}"`)
    const value = Either.isRight(parsed) && typeof parsed.right === "string" ? parsed.right : undefined
    if (depth === 1 && isKey) key = value ?? ""
    else if (value !== undefined && isPathKey(key) && paths.length < mostPaths) paths.push(value)
  }

  const inside = (char: string) => {
    if (isEscaped) isEscaped = false
    else if (char === "\\") isEscaped = true
    else if (char === '"') {
      inText = false
      return endText()
    }
    if (text !== undefined) text = text.length < longestText ? text + char : undefined
  }

  const between = (char: string) => {
    switch (char) {
      case '"':
        inText = true
        text = depth === 1 || (depth === 2 && isPathKey(key)) ? '"' : undefined
        return
      case "{":
      case "[":
        if (++depth === 1) isKey = true
        return
      case "}":
      case "]":
        depth--
        return
      case ":":
        if (depth === 1) isKey = false
        return
      case ",":
        if (depth === 1) isKey = true
    }
  }

  const push = (piece: string) => {
    for (let at = 0; at < piece.length; at++) {
      const char = piece[at] ?? ""
      if (inText) inside(char)
      else between(char)
    }
  }

  return { push, paths: () => paths }
}
