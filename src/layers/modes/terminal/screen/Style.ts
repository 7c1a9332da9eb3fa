/** Colours and symbols of the terminal, or none of them for people and terminals that want none. Pure. */

export interface Look {
  readonly colors: boolean
  /** The terminal can neither move its cursor nor, as a rule, show more than ASCII. */
  readonly plain: boolean
}

type Paint = (text: string) => string

export interface Style extends Look {
  readonly bold: Paint
  readonly dim: Paint
  readonly thought: Paint
  readonly accent: Paint
  readonly good: Paint
  readonly warning: Paint
  readonly bad: Paint
  readonly symbols: typeof unicode
}

const unicode = { done: "✓", failed: "✗", warned: "!", running: "•", below: "↳", more: "…", bar: "│", chosen: "❯" }
const ascii: typeof unicode = {
  done: "ok",
  failed: "x",
  warned: "!",
  running: "*",
  below: "->",
  more: "...",
  bar: "|",
  chosen: ">"
}

const sgr = (open: string, close: string): Paint => {
  const [before, after] = [`\u001b[${open}m`, `\u001b[${close}m`]
  return (text) => (text === "" ? "" : before + text + after)
}

const plainly: Paint = (text) => text

export const make = (look: Look): Style => {
  const paint = (open: string, close: string) => (look.colors ? sgr(open, close) : plainly)
  return {
    ...look,
    bold: paint("1", "22"),
    dim: paint("2", "22"),
    thought: paint("2;3", "22;23"),
    accent: paint("36", "39"),
    good: paint("32", "39"),
    warning: paint("33", "39"),
    bad: paint("31", "39"),
    symbols: look.plain ? ascii : unicode
  }
}

/** `NO_COLOR` (https://no-color.org) counts when it is not empty. */
export const lookOf = (variables: {
  readonly noColor: string | undefined
  readonly term: string | undefined
}): Look => {
  const plain = variables.term === undefined || variables.term === "dumb"
  return { plain, colors: !plain && variables.noColor === undefined }
}
