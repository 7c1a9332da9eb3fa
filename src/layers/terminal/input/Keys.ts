/** Takes what a terminal sends apart: typed text, pasted text, keys. A sequence may continue in the next piece. Pure. */
import { defined } from "../../../domain/Values.ts"
import * as KeyNames from "./KeyNames.ts"

export type Input =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Paste"; readonly text: string }
  /** As `ctrl+c`, `alt+enter`, `up`. */
  | { readonly _tag: "Key"; readonly id: string }

/** What waits for its end: the beginning of a sequence, or pasted text. */
export interface Pending {
  readonly rest: string
  readonly pasted?: ReadonlyArray<string>
}

export const nothing: Pending = { rest: "" }

const [pasteStart, pasteEnd] = ["\u001b[200~", "\u001b[201~"]
/** CSI, SS3, strings such as replies to queries, and Alt with a character. */
const sequence = new RegExp(
  [
    String.raw`\u001b\[[0-?]*[ -/]*[@-~]`,
    String.raw`\u001bO[ -~]`,
    String.raw`\u001b[\]P^_X][^\u0007\u001b]*(?:\u0007|\u001b\\)`,
    String.raw`\u001b[^\u001b\[O\]P^_X]`
  ].join("|"),
  "uy"
)
const unfinished = new RegExp(String.raw`^\u001b(?:\[[0-?]*[ -/]*|O|[\]P^_X][^\u0007\u001b]{0,4096}\u001b?)?$`)
const typed = /\P{Cc}+/uy

const key = (data: string): ReadonlyArray<Input> => {
  const id = KeyNames.of(data)
  return id === undefined ? [] : [{ _tag: "Key", id }]
}

/** The end mark may be cut in two: as many characters of the text as could be a part of it stay behind. */
const partOfEnd = (text: string): number => {
  for (let length = Math.min(pasteEnd.length - 1, text.length); length > 0; length--) {
    if (pasteEnd.startsWith(text.slice(-length))) return length
  }
  return 0
}

export type Decoded = readonly [ReadonlyArray<Input>, Pending]

const paste = (pasted: ReadonlyArray<string>, text: string): Decoded => {
  const end = text.indexOf(pasteEnd)
  if (end < 0) {
    const kept = partOfEnd(text)
    return [[], { rest: text.slice(text.length - kept), pasted: [...pasted, text.slice(0, text.length - kept)] }]
  }
  const whole: Input = { _tag: "Paste", text: [...pasted, text.slice(0, end)].join("") }
  const [more, pending] = decode(nothing, text.slice(end + pasteEnd.length))
  return [[whole, ...more], pending]
}

export const decode = ({ pasted, rest }: Pending, chunk: string): Decoded => {
  const text = rest + chunk
  if (pasted !== undefined) return paste(pasted, text)
  const inputs: Array<Input> = []
  const match = (pattern: RegExp, at: number) => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0]
  }
  for (let at = 0; at < text.length;) {
    if (text.startsWith(pasteStart, at)) {
      const [more, pending] = paste([], text.slice(at + pasteStart.length))
      return [[...inputs, ...more], pending]
    }
    const run = match(typed, at)
    if (run !== undefined) {
      inputs.push({ _tag: "Text", text: run })
      at += run.length
      continue
    }
    if (text[at] === "\u001b" && unfinished.test(text.slice(at))) return [inputs, { rest: text.slice(at) }]
    const found = match(sequence, at) ?? text[at] ?? ""
    inputs.push(...key(found))
    at += found.length
  }
  return [inputs, nothing]
}

/** Nothing followed an escape character for a while: it was the key. */
export const flush = ({ pasted, rest }: Pending): Decoded => {
  if (pasted !== undefined || rest === "") return [[], { rest, ...defined({ pasted }) }]
  const [more] = decode(nothing, rest.slice(1))
  return [[...key("\u001b"), ...more], nothing]
}
