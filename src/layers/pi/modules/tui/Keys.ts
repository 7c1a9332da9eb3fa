/** The key functions of pi-tui. No key ever arrives, because no component of an extension is drawn, so none matches. */

export const parseKey = (_data: string): undefined => undefined
export const matchesKey = (_data: string, _keyId: string): boolean => false
export const isKeyRelease = (_data: string): boolean => false
export const isKeyRepeat = (_data: string): boolean => false
export const decodeKittyPrintable = (_data: string): undefined => undefined

const words =
  "escape esc enter return tab space backspace delete insert clear home end pageUp pageDown up down left right f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12"
const symbols =
  "backtick ` hyphen - equals = leftbracket [ rightbracket ] backslash \\ semicolon ; quote ' comma , period . slash / exclamation ! at @ hash # dollar $ percent % caret ^ ampersand & asterisk * leftparen ( rightparen ) underscore _ plus + pipe | tilde ~ leftbrace { rightbrace } colon : lessthan < greaterthan > question ?"
const combinations =
  "ctrl shift alt super ctrlShift shiftCtrl ctrlAlt altCtrl shiftAlt altShift ctrlSuper superCtrl shiftSuper superShift altSuper superAlt ctrlShiftAlt ctrlShiftSuper"

const combine = (name: string) => {
  const held = name.toLowerCase().match(/ctrl|shift|alt|super/g) ?? []
  return (key: string) => [...held, key].join("+")
}

/** Ids of keys by name, and functions that put modifiers before one: `Key.ctrlShift("p")`. */
export const Key = Object.fromEntries<string | ((key: string) => string)>([
  ...words.split(" ").map((word) => [word, word] as const),
  ...Array.from(symbols.matchAll(/(\w+) (\S)/g), ([, name = "", symbol = ""]) => [name, symbol] as const),
  ...combinations.split(" ").map((name) => [name, combine(name)] as const)
])
