/** Takes what a terminal sends apart: typed text, pasted text, keys. A sequence may continue in the next piece. Pure. */
import { defined } from "../../../../domain/Values.ts"

const named: Readonly<Record<string, string>> = {
  "\u001b": "escape",
  "\r": "enter",
  "\t": "tab",
  "\u007f": "backspace",
  "\b": "backspace",
  "\u001b\r": "alt+enter",
  "\u001b\u007f": "alt+backspace",
  "\u001bb": "alt+left",
  "\u001bf": "alt+right",
  "\u001b[Z": "shift+tab"
}

/** The last letter of `ESC [ letter` and `ESC O letter`. */
const letters: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  F: "end",
  H: "home",
  M: "enter"
}

/** The number of `ESC [ number ~`. */
const numbers: Readonly<Record<string, string>> = { 1: "home", 3: "delete", 4: "end", 7: "home", 8: "end" }

/** Code points that stand for keys without a character. */
const codes: Readonly<Record<number, string>> = { 9: "tab", 13: "enter", 27: "escape", 32: "space", 127: "backspace" }
const firstPrivate = 57344

const modifiers = ["shift", "alt", "ctrl", "super"] as const
const order = ["shift", "ctrl", "alt", "super"]

/** The terminal counts from one, and adds bits for the lock keys. */
const withHeld = (key: string | undefined, parameter = "1"): string | undefined => {
  if (key === undefined) return undefined
  const bits = (Number(parameter) || 1) - 1
  const held: ReadonlyArray<string> = modifiers.filter((_, at) => (bits & (1 << at)) !== 0)
  return [...order.filter((name) => held.includes(name)), key].join("+")
}

const keyOfCode = (code: number): string | undefined =>
  codes[code] ?? (code > 32 && code < firstPrivate ? String.fromCodePoint(code).toLowerCase() : undefined)

const kitty = /^\[(\d+)(?::\d*)*(?:;(\d*)(?::(\d))?(?:;[\d:]*)?)?u$/
const other = /^\[27;(\d+);(\d+)~$/
const lettered = /^(?:\[(?:1;(\d+)(?::\d)?)?|O)([A-HM])$/
const numbered = /^\[(\d+)(?:;(\d+)(?::\d)?)?~$/
const rxvt = /^([[O])([a-d])$/

const ofSequence = (sequence: string): string | undefined => {
  const [, code, held] = kitty.exec(sequence) ?? []
  if (code !== undefined) return withHeld(keyOfCode(Number(code)), held)
  const [, bits, point] = other.exec(sequence) ?? []
  if (point !== undefined) return withHeld(keyOfCode(Number(point)), bits)
  const [, by, letter] = lettered.exec(sequence) ?? []
  if (letter !== undefined) return withHeld(letters[letter], by)
  const [, number, modifier] = numbered.exec(sequence) ?? []
  if (number !== undefined) return withHeld(numbers[number], modifier)
  const [, kind, small] = rxvt.exec(sequence) ?? []
  return small && `${kind === "[" ? "shift" : "ctrl"}+${letters[small.toUpperCase()]}`
}

/** Ctrl with a letter. Ctrl-J is a line feed, which some terminals also send for Shift-Enter. */
const controlKey = (code: number): string | undefined =>
  code >= 1 && code <= 26 ? `ctrl+${String.fromCharCode(code + 96)}` : undefined

/** The name of the key, such as `ctrl+shift+up`; undefined for what is no key that heddle knows. */
const nameOf = (data: string): string | undefined => {
  const known = named[data] ?? (data.startsWith("\u001b") ? ofSequence(data.slice(1)) : undefined)
  if (known !== undefined || data.length > 2) return known
  if (data.length === 1) return controlKey(data.charCodeAt(0))
  const key = data[1] ?? ""
  return data.startsWith("\u001b") && /^[a-z0-9]$/.test(key) ? `alt+${key}` : undefined
}

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
  const id = nameOf(data)
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
