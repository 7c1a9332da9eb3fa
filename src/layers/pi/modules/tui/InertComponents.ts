/** Components that need a terminal. They keep their arguments, draw nothing and take no input. */
import { Container, Inert, Text } from "./Components.ts"

interface Item {
  readonly value?: string
  readonly label?: string
}

export class SelectList extends Inert {
  #items: ReadonlyArray<Item>
  #selected = 0

  constructor(items: ReadonlyArray<Item> = [], ...rest: ReadonlyArray<unknown>) {
    super(items, ...rest)
    this.#items = items
  }

  setItems(items: ReadonlyArray<Item>) {
    this.#items = items
    this.#selected = 0
  }

  setFilter(_filter: string) {}

  setSelectedIndex(index: number) {
    this.#selected = Math.max(0, Math.min(index, this.#items.length - 1))
  }

  getSelectedItem(): Item | null {
    return this.#items[this.#selected] ?? null
  }
}

export class SettingsList extends Inert {
  updateValue(_id: string, _value: string) {}
  selectItem(_id: string) {}
}

/** An editor or an input line. */
export class Editor extends Inert {
  #text = ""
  disableSubmit = false

  getText(): string {
    return this.#text
  }

  getExpandedText(): string {
    return this.#text
  }

  getValue(): string {
    return this.#text
  }

  setText(text: string) {
    this.#text = text
  }

  setValue(text: string) {
    this.#text = text
  }

  insertTextAtCursor(text: string) {
    this.#text += text
  }

  getLines(): ReadonlyArray<string> {
    return this.#text.split("\n")
  }

  getCursor() {
    const lines = this.getLines()
    return { line: lines.length - 1, col: lines.at(-1)?.length ?? 0 }
  }

  getPaddingX(): number {
    return 0
  }

  isShowingAutocomplete(): boolean {
    return false
  }

  borderColor(text: string): string {
    return text
  }

  setPaddingX(_padding: number) {}
  setAutocompleteProvider(_provider: unknown) {}
  setAutocompleteMaxVisible(_most: number) {}
  addToHistory(_text: string) {}
}

export class Input extends Editor {}

export class Loader extends Text {
  constructor(...args: ReadonlyArray<unknown>) {
    const [, , , message] = args
    super(typeof message === "string" ? message : "Loading...", 0, 0)
  }

  setMessage(message: string) {
    this.setText(message)
  }

  start() {}
  stop() {}
  setIndicator(_indicator: unknown) {}
}

/** No key can be pressed, so the signal never aborts. */
export class CancellableLoader extends Loader {
  readonly signal: AbortSignal = new AbortController().signal

  get aborted(): boolean {
    return false
  }
}

export class Image extends Inert {
  getImageId(): undefined {
    return undefined
  }
}

export class Stack extends Container {}
export class MouseRegion extends Container {}

export class ScrollView extends Container {
  scrollTo(_line: number) {}
  scrollToStart() {}
  scrollToEnd() {}
  scrollBy(_lines: number): number {
    return 0
  }
}

/** The screen itself: code may hold one, but it never draws. */
export class Screen extends Container {
  readonly terminal = { columns: 80, rows: 24, write: (_text: string) => {} }
  start() {}
  stop() {}
  requestRender() {}
  setFocus(_component: unknown) {}
  hideOverlay() {}

  hasOverlay(): boolean {
    return false
  }

  showOverlay(_component: unknown) {
    return { hide: () => {}, setHidden: () => {}, isHidden: () => true, focus: () => {}, unfocus: () => {} }
  }
}

export class CombinedAutocompleteProvider extends Inert {
  getSuggestions() {
    return null
  }

  applyCompletion(lines: ReadonlyArray<string>, cursorLine: number, cursorCol: number) {
    return { lines, cursorLine, cursorCol }
  }
}
