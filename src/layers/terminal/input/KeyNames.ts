/** What terminals send for keys, as names: single characters, and escape sequences of xterm, rxvt and kitty. Pure. */

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
export const of = (data: string): string | undefined => {
  const known = named[data] ?? (data.startsWith("\u001b") ? ofSequence(data.slice(1)) : undefined)
  if (known !== undefined || data.length > 2) return known
  if (data.length === 1) return controlKey(data.charCodeAt(0))
  const key = data[1] ?? ""
  return data.startsWith("\u001b") && /^[a-z0-9]$/.test(key) ? `alt+${key}` : undefined
}
