/** Measures, cuts and wraps text with escape sequences in it. Plain text stays plain: no code is added to it. */
import { makeStyles, pieces, reset, visibleWidth } from "./Sequences.ts"

const padTo = (text: string, width: number, isWanted: boolean) =>
  isWanted ? text + " ".repeat(Math.max(0, width - visibleWidth(text))) : text

/** The first `width` cells of a text, with the codes between them; `isOpen` when a style is still in force at its end. */
const head = (text: string, width: number) => {
  const styles = makeStyles()
  let kept = ""
  let taken = 0
  for (const piece of pieces(text)) {
    if (piece.kind === "code") styles.add(piece.text)
    else if (taken + piece.width > width) break
    taken += piece.width
    kept += piece.text
  }
  return { kept, isOpen: styles.opening() !== "" }
}

export const truncateToWidth = (text: string, maxWidth: number, ellipsis = "...", pad = false): string => {
  if (maxWidth <= 0) return ""
  if (visibleWidth(text) <= maxWidth) return padTo(text, maxWidth, pad)
  const end = head(ellipsis, maxWidth).kept
  const { isOpen, kept } = head(text, maxWidth - visibleWidth(end))
  return padTo(kept + (isOpen ? reset : "") + end, maxWidth, pad)
}

export const sliceWithWidth = (line: string, startCol: number, length: number, strict = false) => {
  const end = startCol + length
  let column = 0
  let text = ""
  let width = 0
  for (const piece of pieces(line)) {
    if (piece.kind === "code") {
      if (column < end) text += piece.text
      continue
    }
    const fits = strict ? column + piece.width <= end : column < end
    if (column >= startCol && fits) {
      text += piece.text
      width += piece.width
    }
    column += piece.width
  }
  return { text, width }
}

export const sliceByColumn = (line: string, startCol: number, length: number, strict = false): string =>
  sliceWithWidth(line, startCol, length, strict).text

interface Word {
  readonly text: string
  readonly width: number
  readonly isSpace: boolean
}

/** Words and the spaces between them; codes belong to the word that follows them, or to the last one. */
const words = function* (line: string): Generator<Word> {
  let text = ""
  let width = 0
  let isSpace: boolean | undefined
  for (const piece of pieces(line)) {
    const space = piece.kind === "code" ? isSpace : piece.text.trim() === ""
    if (space !== isSpace && isSpace !== undefined) {
      yield { text, width, isSpace }
      text = ""
      width = 0
    }
    isSpace = space
    text += piece.text
    width += piece.width
  }
  if (text !== "") yield { text, width, isSpace: isSpace ?? false }
}

const wrapLine = (line: string, width: number, styles: ReturnType<typeof makeStyles>): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let current = styles.opening()
  let taken = 0
  const breakLine = () => {
    lines.push(current.trimEnd())
    current = styles.opening()
    taken = 0
  }
  const put = (word: string) => {
    for (const piece of pieces(word)) {
      if (piece.kind === "code") styles.add(piece.text)
      else if (taken > 0 && taken + piece.width > width) breakLine()
      current += piece.text
      taken += piece.width
    }
  }
  for (const word of words(line)) {
    if (taken + word.width <= width) put(word.text)
    else if (word.isSpace) breakLine()
    else {
      if (taken > 0) breakLine()
      put(word.text)
    }
  }
  lines.push(taken > 0 || lines.length === 0 ? current.trimEnd() : current)
  return lines
}

/** Breaks at spaces, and inside words that are longer than a line. Styles go on in the next line. */
export const wrapTextWithAnsi = (text: string, width: number): Array<string> => {
  const styles = makeStyles()
  return text.split("\n").flatMap((line) => wrapLine(line, Math.max(1, width), styles))
}

export const applyBackgroundToLine = (line: string, width: number, background: (text: string) => string): string =>
  background(padTo(line, width, true))

export const hyperlink = (text: string, url: string): string => `\u001b]8;;${url}\u001b\\${text}\u001b]8;;\u001b\\`
