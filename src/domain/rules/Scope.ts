/** Scope tokens of rules: `text`, `thinking`, `tool`, `tool:edit(*.rs)`, `edit(*.rs)` (protocol.md 13). */
import { defined } from "../Values.ts"

export type ScopeToken =
  | { readonly kind: "text" }
  | { readonly kind: "thinking" }
  /** Any tool where the name is absent, any path where the glob is. */
  | { readonly kind: "tool"; readonly name?: string; readonly glob?: string }

export type SourceKind = ScopeToken["kind"]

export const defaultScope: ReadonlyArray<ScopeToken> = [{ kind: "text" }, { kind: "tool" }]

const closers = new Map([
  ["(", ")"],
  ["[", "]"],
  ["{", "}"]
])

/** The parts between commas that stand outside all brackets, trimmed, without empty ones. */
export const split = (text: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  const open: Array<string> = []
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? ""
    const closer = closers.get(char)
    if (closer !== undefined) open.push(closer)
    else if (char === open.at(-1)) open.pop()
    else if (char === "," && open.length === 0) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  parts.push(text.slice(from))
  return parts.map((part) => part.trim()).filter((part) => part !== "")
}

const toolForm = /^(?:(tool|toolcall)(?::\s*([\w.-]+))?|([\w.-]+))\s*(?:\(\s*([^()]*?)\s*\))?$/i

/** Undefined if the text is no scope token. */
export const parse = (text: string): ScopeToken | undefined => {
  const word = text.toLowerCase()
  if (word === "text" || word === "thinking") return { kind: word }
  const found = toolForm.exec(text)
  if (found === null) return undefined
  const [, any, after, alone, glob] = found
  const name = any === undefined ? alone : after
  const isProse = name !== undefined && any === undefined && ["text", "thinking"].includes(name.toLowerCase())
  if (isProse || glob === "") return undefined
  return { kind: "tool", ...defined({ name, glob }) }
}
