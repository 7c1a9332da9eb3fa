/** Reads what terminals send for keys: single characters, escape sequences of xterm and rxvt, and the protocol of kitty. */

const named: Readonly<Record<string, string>> = {
  "\u001b": "escape",
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  " ": "space",
  "\u007f": "backspace",
  "\b": "backspace",
  "\u0000": "ctrl+space",
  "\u001c": "ctrl+\\",
  "\u001d": "ctrl+]",
  "\u001f": "ctrl+-",
  "\u001b\u001b": "ctrl+alt+[",
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
  E: "clear",
  F: "end",
  H: "home",
  P: "f1",
  Q: "f2",
  R: "f3",
  S: "f4",
  M: "enter"
}

/** The number of `ESC [ number ~`. */
const numbers: Readonly<Record<string, string>> = {
  1: "home",
  2: "insert",
  3: "delete",
  4: "end",
  5: "pageUp",
  6: "pageDown",
  7: "home",
  8: "end",
  11: "f1",
  12: "f2",
  13: "f3",
  14: "f4",
  15: "f5",
  17: "f6",
  18: "f7",
  19: "f8",
  20: "f9",
  21: "f10",
  23: "f11",
  24: "f12"
}

/** Code points that stand for keys without a character; those of the keypad begin at 57399. */
const codes: Readonly<Record<number, string>> = { 9: "tab", 13: "enter", 27: "escape", 32: "space", 127: "backspace" }
const keypad = "0123456789./*-+"

const modifiers = ["shift", "alt", "ctrl", "super"] as const
const order = ["shift", "ctrl", "alt", "super"]

/** The terminal counts from one, and adds bits for the lock keys. */
const withModifiers = (key: string, parameter: string | undefined): string => {
  const bits = (Number(parameter ?? "1") || 1) - 1
  const held: ReadonlyArray<string> = modifiers.filter((_, at) => (bits & (1 << at)) !== 0)
  return [...order.filter((name) => held.includes(name)), key].join("+")
}

const keyOfCode = (code: number): string | undefined => {
  const known = codes[code] ?? (code >= 57399 ? keypad[code - 57399] : undefined)
  if (known !== undefined) return known
  return code > 32 && code < 57344 ? String.fromCodePoint(code).toLowerCase() : undefined
}

const kitty = /^\[(\d+)(?::\d*)*(?:;(\d*)(?::(\d))?(?:;[\d:]*)?)?u$/
const other = /^\[27;(\d+);(\d+)~$/
const lettered = /^(?:\[(?:1;(\d+)(?::\d)?)?|O)([A-HP-SM])$/
const numbered = /^\[(\d+)(?:;(\d+)(?::\d)?)?~$/
const rxvt = /^([[O])([a-d])$/

/** What follows the escape character; undefined for other text. */
const afterEscape = (data: string): string | undefined => (data.startsWith("\u001b") ? data.slice(1) : undefined)

const ofSequence = (sequence: string): string | undefined => {
  const [, code, held] = kitty.exec(sequence) ?? []
  if (code !== undefined) return withHeld(keyOfCode(Number(code)), held)
  const [, mask, point] = other.exec(sequence) ?? []
  if (point !== undefined) return withHeld(keyOfCode(Number(point)), mask)
  const [, by, letter] = lettered.exec(sequence) ?? []
  if (letter !== undefined) return withHeld(letters[letter], by)
  const [, number, with_] = numbered.exec(sequence) ?? []
  if (number !== undefined) return withHeld(numbers[number], with_)
  const [, kind, small] = rxvt.exec(sequence) ?? []
  if (small === undefined) return undefined
  return `${kind === "[" ? "shift" : "ctrl"}+${letters[small.toUpperCase()]}`
}

const withHeld = (key: string | undefined, held: string | undefined): string | undefined =>
  key === undefined ? undefined : withModifiers(key, held)

const controlKey = (code: number): string | undefined =>
  code >= 1 && code <= 26 ? `ctrl+${String.fromCharCode(code + 96)}` : undefined

/** The id of the key, such as `ctrl+shift+up`; undefined for text that is pasted or composed. */
export const parseKey = (data: string): string | undefined => {
  const known = named[data] ?? ofSequence(afterEscape(data) ?? "")
  if (known !== undefined) return known
  if (data.length === 1) return controlKey(data.charCodeAt(0)) ?? (data > " " && data < "\u007f" ? data : undefined)
  if (data.length !== 2 || data[0] !== "\u001b") return undefined
  const key = data[1] ?? ""
  const control = controlKey(key.charCodeAt(0))
  if (control !== undefined) return `ctrl+alt+${control.slice("ctrl+".length)}`
  return /^[a-z0-9]$/.test(key) ? `alt+${key}` : undefined
}

const aliases: Readonly<Record<string, string>> = {
  esc: "escape",
  return: "enter",
  pageup: "pageup",
  pagedown: "pagedown"
}

const canonical = (id: string): string => {
  const parts = id.toLowerCase().split(/(?<=.)\+(?=.)/)
  const key = parts.pop() ?? ""
  return [...order.filter((name) => parts.includes(name)), aliases[key] ?? key].join("+")
}

/** Other ids for bytes that several keys send. */
const alternatives = (data: string): ReadonlyArray<string> => {
  if (data === "\n") return ["ctrl+j"]
  if (data === "\b") return ["ctrl+h"]
  if (data === "\r") return ["ctrl+m"]
  if (data === "\t") return ["ctrl+i"]
  if (data === "\u001b") return ["ctrl+["]
  if (data === "\u001f") return ["ctrl+_"]
  return data === "\u001bb" || data === "\u001bf" ? [`alt+${data[1]}`] : []
}

export const matchesKey = (data: string, keyId: string): boolean => {
  const wanted = canonical(keyId)
  if (/^[A-Z]$/.test(data)) return wanted === `shift+${data.toLowerCase()}`
  const parsed = parseKey(data)
  return (parsed !== undefined && canonical(parsed) === wanted) || alternatives(data).includes(wanted)
}

const eventOf = (data: string): string | undefined =>
  /^\[[\d:]*;\d+:(\d)(?:;[\d:]*)?[A-Zu~]$/.exec(afterEscape(data) ?? "")?.[1]
export const isKeyRelease = (data: string): boolean => eventOf(data) === "3"
export const isKeyRepeat = (data: string): boolean => eventOf(data) === "2"

const typed = /^\[(\d+)(?::(\d*))?(?::\d*)?(?:;(\d+)(?::\d)?)?u$/

/** The character of a key event of kitty that types one. */
export const decodeKittyPrintable = (data: string): string | undefined => {
  const [, code, shifted, held = "1"] = typed.exec(afterEscape(data) ?? "") ?? []
  const isPlain = ((Number(held) - 1) & ~1) === 0
  const point = Number((Number(held) - 1) % 2 === 1 && shifted ? shifted : code)
  return code !== undefined && isPlain && point >= 32 && point !== 127 && point < 57344
    ? String.fromCodePoint(point)
    : undefined
}

const combination =
  (...held: ReadonlyArray<string>) =>
  (key: string) =>
    [...held, key].join("+")

const words =
  "escape esc enter return tab space backspace delete insert clear home end pageUp pageDown up down left right f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12"
const symbols =
  "backtick ` hyphen - equals = leftbracket [ rightbracket ] backslash \\ semicolon ; quote ' comma , period . slash / exclamation ! at @ hash # dollar $ percent % caret ^ ampersand & asterisk * leftparen ( rightparen ) underscore _ plus + pipe | tilde ~ leftbrace { rightbrace } colon : lessthan < greaterthan > question ?"
const combinations =
  "ctrl shift alt super ctrlShift shiftCtrl ctrlAlt altCtrl shiftAlt altShift ctrlSuper superCtrl shiftSuper superShift altSuper superAlt ctrlShiftAlt ctrlShiftSuper"

/** Ids of keys by name, and functions that put modifiers before one: `Key.ctrlShift("p")`. */
export const Key: Readonly<Record<string, string | ((key: string) => string)>> = Object.fromEntries<
  string | ((key: string) => string)
>([
  ...words.split(" ").map((word): [string, string] => [word, word]),
  ...Array.from(symbols.matchAll(/(\w+) (\S)/g), ([, name = "", symbol = ""]): [string, string] => [name, symbol]),
  ...combinations
    .split(" ")
    .map((name): [string, (key: string) => string] => [
      name,
      combination(...(name.toLowerCase().match(/ctrl|shift|alt|super/g) ?? []))
    ])
])
