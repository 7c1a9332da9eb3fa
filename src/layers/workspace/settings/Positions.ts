/** Finds the lines in which the members of a settings file stand. Runs only if a person asks, or has made a mistake. Pure. */

export interface Position {
  readonly line: number
  readonly column: number
}

type Find = (path: ReadonlyArray<string>) => Position | undefined

/** No setting is nested deeper, and a file may nest thousands of objects. */
const deepest = 8

const identity = (path: ReadonlyArray<string | undefined>) => JSON.stringify(path)

/** Strings, comments, and the characters that give JSON its shape. */
const tokens = /"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[{}[\],:]/g

/** A key may have escapes in it. */
const unquoted = (token: string): string =>
  token
    .slice(1, -1)
    .replaceAll(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, code: string | undefined, char: string) =>
      code === undefined ? char : String.fromCharCode(Number.parseInt(code, 16))
    )

const inJson = (text: string): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  /** The names on the way to the current object; undefined in a list. */
  const path: Array<string | undefined> = []
  let last: { readonly name: string; readonly at: number } | undefined
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (token === ":" && last !== undefined) {
      path[path.length - 1] = last.name
      if (path.length <= deepest) found.set(identity(path), last.at)
    } else if (token === "{" || token === "[") path.push(undefined)
    else if (token === "}" || token === "]") path.pop()
    else if (token === "," && path.length > 0) path[path.length - 1] = undefined
    if (!token.startsWith("/")) last = token.startsWith('"') ? { name: unquoted(token), at: index } : undefined
  }
  return found
}

const yamlKey = /^( *)(?:"([^"\n]*)" *|'([^'\n]*)' *|([^\s#:'"[{-][^:\n]*)):(?=\s|$)/gm

/** Members of blocks; those in braces have no position of their own. */
const inYaml = (text: string): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  const above: Array<{ readonly name: string; readonly indent: number }> = []
  for (const { 1: spaces = "", 2: double, 3: single, 4: bare, index } of text.matchAll(yamlKey)) {
    const indent = spaces.length
    while ((above.at(-1)?.indent ?? -1) >= indent) above.pop()
    above.push({ name: double ?? single ?? bare?.trimEnd() ?? "", indent })
    if (above.length <= deepest) found.set(identity(above.map(({ name }) => name)), index + indent)
  }
  return found
}

/** Looks members of a file up, or what they are in; undefined if that has no position either. */
export const of = (name: string, text: string): Find => {
  const found = /\.ya?ml$/.test(name) ? inYaml(text) : inJson(text)
  return (path) => {
    for (let depth = path.length; depth > 0; depth--) {
      const at = found.get(identity(path.slice(0, depth)))
      if (at === undefined) continue
      const before = text.slice(0, at)
      return { line: before.split("\n").length, column: at - before.lastIndexOf("\n") }
    }
    return undefined
  }
}
