/** Which keys do what, for extensions that name them in texts. The defaults are pi's; no key ever arrives. */
type Keys = string | ReadonlyArray<string>

/** The keys of each action. */
const editorActions =
  "cursorUp up|cursorDown down|cursorLeft left ctrl+b|cursorRight right ctrl+f|" +
  "cursorWordLeft alt+left ctrl+left alt+b|cursorWordRight alt+right ctrl+right alt+f|" +
  "cursorLineStart home ctrl+a|cursorLineEnd end ctrl+e|jumpForward ctrl+]|jumpBackward ctrl+alt+]|" +
  "pageUp pageUp|pageDown pageDown|deleteCharBackward backspace|deleteCharForward delete ctrl+d|" +
  "deleteWordBackward ctrl+w alt+backspace|deleteWordForward alt+d alt+delete|deleteToLineStart ctrl+u|" +
  "deleteToLineEnd ctrl+k|newLine shift+enter ctrl+j|submit enter|tab tab|copy ctrl+c|selectUp up|" +
  "selectDown down|selectPageUp pageUp|selectPageDown pageDown|selectConfirm enter|" +
  "selectCancel escape ctrl+c|yank ctrl+y|yankPop alt+y|undo ctrl+-|expandTools ctrl+o"

/** The actions of an editor and of lists, by the names of pi before 0.60. */
export const editorKeys: Readonly<Record<string, Keys>> = Object.fromEntries(
  editorActions.split("|").map((line) => {
    const [action = "", first = "", ...others] = line.split(" ")
    return [action, others.length === 0 ? first : [first, ...others]] as const
  })
)

/** `selectUp` has been `tui.select.up` since then. */
const currentName = (action: string): string => {
  const inList = /^select([A-Z])(\w*)$/.exec(action)
  if (inList !== null) return `tui.select.${inList[1]?.toLowerCase()}${inList[2]}`
  return `tui.${["newLine", "submit", "tab", "copy"].includes(action) ? "input" : "editor"}.${action}`
}

export const definitions: Readonly<Record<string, { readonly defaultKeys: Keys }>> = Object.fromEntries([
  ...Object.entries(editorKeys)
    .filter(([action]) => action !== "expandTools")
    .map(([action, defaultKeys]) => [currentName(action), { defaultKeys }] as const),
  ["app.tools.expand", { defaultKeys: "ctrl+o" }] as const
])

const listOf = (keys: Keys | undefined): ReadonlyArray<string> =>
  keys === undefined ? [] : typeof keys === "string" ? [keys] : keys

export class KeybindingsManager {
  readonly #definitions: typeof definitions
  #user: Readonly<Record<string, Keys | undefined>>

  constructor(known: typeof definitions = definitions, user: Readonly<Record<string, Keys | undefined>> = {}) {
    this.#definitions = known
    this.#user = user
  }

  getKeys(action: string): ReadonlyArray<string> {
    const own = this.#user[action] ?? this.#definitions[action]?.defaultKeys ?? definitions[action]?.defaultKeys
    return listOf(own ?? editorKeys[action])
  }

  matches(_data: string, _action: string): boolean {
    return false
  }

  getDefinition(action: string) {
    return this.#definitions[action]
  }

  getConflicts(): ReadonlyArray<never> {
    return []
  }

  setUserBindings(user: Readonly<Record<string, Keys | undefined>>) {
    this.#user = user
  }

  getUserBindings() {
    return this.#user
  }

  getResolvedBindings(): Readonly<Record<string, Keys>> {
    return Object.fromEntries(Object.keys(this.#definitions).map((action) => [action, this.getKeys(action)]))
  }
}

/** The class of the older name takes only what differs from the defaults. */
export class EditorKeybindingsManager extends KeybindingsManager {
  constructor(user: Readonly<Record<string, Keys | undefined>> = {}) {
    super(definitions, user)
  }

  setConfig(user: Readonly<Record<string, Keys | undefined>>) {
    this.setUserBindings(user)
  }
}

/** The functions that read and replace the bindings in force. */
export const makeCurrent = () => {
  let current = new KeybindingsManager()
  const get = () => current
  const set = (bindings: KeybindingsManager) => {
    current = bindings
  }
  return { getKeybindings: get, setKeybindings: set, getEditorKeybindings: get, setEditorKeybindings: set }
}
