/** Components that lay out plain text. Nothing draws them in a host without a terminal, but extensions may call `render`. */
import { applyBackgroundToLine, truncateToWidth, wrapTextWithAnsi } from "./TextFunctions.ts"

export interface Drawable {
  readonly render?: (width: number) => ReadonlyArray<string>
}

type Paint = (text: string) => string

const linesOf = (child: Drawable, width: number): ReadonlyArray<string> => child.render?.(width) ?? []

/** Keeps its arguments and does nothing. */
export class Inert {
  readonly arguments: ReadonlyArray<unknown>
  focused = false
  wantsKeyRelease = false

  constructor(...args: ReadonlyArray<unknown>) {
    this.arguments = args
  }

  render(_width: number): ReadonlyArray<string> {
    return []
  }

  invalidate() {}
  handleInput(_data: string) {}
  handleMouse(_event: unknown) {}
  dispose() {}
}

export class Container extends Inert {
  children: Array<Drawable> = []

  addChild(child: Drawable) {
    this.children.push(child)
  }

  removeChild(child: Drawable) {
    this.children = this.children.filter((other) => other !== child)
  }

  clear() {
    this.children = []
  }

  override render(width: number): ReadonlyArray<string> {
    return this.children.flatMap((child) => linesOf(child, width))
  }
}

/** Lines within a margin, each as wide as the component. */
const padded = (lines: ReadonlyArray<string>, width: number, margin: { readonly x: number; readonly y: number }) => {
  const blank = Array.from({ length: margin.y }, () => "")
  const side = " ".repeat(margin.x)
  return [...blank, ...lines.map((line) => side + line), ...blank].map((line) => truncateToWidth(line, width, "", true))
}

const paint = (lines: ReadonlyArray<string>, width: number, background: Paint | undefined) =>
  background === undefined ? lines : lines.map((line) => applyBackgroundToLine(line, width, background))

export class Text extends Inert {
  #text: string
  #background: Paint | undefined
  readonly #margin: { readonly x: number; readonly y: number }

  constructor(text = "", paddingX = 1, paddingY = 1, background?: Paint) {
    super(text, paddingX, paddingY, background)
    this.#text = text
    this.#margin = { x: paddingX, y: paddingY }
    this.#background = background
  }

  setText(text: string) {
    this.#text = text
  }

  setCustomBgFn(background?: Paint) {
    this.#background = background
  }

  override render(width: number): ReadonlyArray<string> {
    if (this.#text.trim() === "") return []
    const lines = wrapTextWithAnsi(this.#text, Math.max(1, width - 2 * this.#margin.x))
    return paint(padded(lines, width, this.#margin), width, this.#background)
  }
}

export class TruncatedText extends Inert {
  readonly #text: string
  readonly #margin: { readonly x: number; readonly y: number }

  constructor(text = "", paddingX = 0, paddingY = 0) {
    super(text, paddingX, paddingY)
    this.#text = text
    this.#margin = { x: paddingX, y: paddingY }
  }

  override render(width: number): ReadonlyArray<string> {
    const [line = ""] = this.#text.split("\n")
    return padded([truncateToWidth(line, Math.max(1, width - 2 * this.#margin.x))], width, this.#margin)
  }
}

/** Shows the source of the Markdown. */
export class Markdown extends Text {}

export class Box extends Container {
  readonly #margin: { readonly x: number; readonly y: number }
  #background: Paint | undefined

  constructor(paddingX = 1, paddingY = 1, background?: Paint) {
    super(paddingX, paddingY, background)
    this.#margin = { x: paddingX, y: paddingY }
    this.#background = background
  }

  setBgFn(background?: Paint) {
    this.#background = background
  }

  override render(width: number): ReadonlyArray<string> {
    const lines = super.render(Math.max(1, width - 2 * this.#margin.x))
    return lines.length === 0 ? [] : paint(padded(lines, width, this.#margin), width, this.#background)
  }
}

export class Spacer extends Inert {
  #lines: number

  constructor(lines = 1) {
    super(lines)
    this.#lines = lines
  }

  setLines(lines: number) {
    this.#lines = lines
  }

  override render(_width: number): ReadonlyArray<string> {
    return Array.from({ length: Math.max(0, this.#lines) }, () => "")
  }
}
