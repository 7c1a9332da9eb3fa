/**
 * Reads JSON text without building its values, also text that is still arriving: how deep it nests, how many values it
 * holds, and where it can be cut and closed. Looks at each character once, and jumps over strings.
 */

/** The bounds of data that comes from others: deep or many values would exhaust the stack or the memory. */
export const maxDepth = 512
export const maxValues = 1_000_000

export interface Bounds {
  readonly depth: number
  readonly values: number
}
export const bounds: Bounds = { depth: maxDepth, values: maxValues }

export const tooDeep = (depth: number) => `nested deeper than ${depth} levels`
export const tooMany = (values: number) => `more than ${values} values`

export interface JsonScan {
  /** Reads on. Text behind the position that breaks a bound is not looked at. */
  readonly push: (text: string) => void
  /** Which bound is broken, in words. */
  readonly excess: () => string | undefined
  /** Whether everything that was opened is closed. */
  readonly isClosed: () => boolean
  /** Whether the text ends inside a string that is a value, and then whether after half of an escape. */
  readonly openString: () => "no" | "yes" | "escaped"
  /** How long the longest prefix is after which only `closers` are missing. */
  readonly safeEnd: () => number
  readonly closers: () => string
  /** How many values have begun. */
  readonly values: () => number
}

const QUOTE = 0x22

/** Finds the next position of a character. Keeps it until it is passed, so that each part of the text is searched once. */
export const makeNext = (text: string, character: string) => {
  let found = -1
  return (from: number): number => {
    if (found >= from) return found
    const at = text.indexOf(character, from)
    return (found = at < 0 ? text.length : at)
  }
}

export const make = (limits: Bounds = bounds): JsonScan => {
  /** The closing bracket of each container that is open, outermost first. */
  const open: Array<"}" | "]"> = []
  let length = 0
  let safeEnd = 0
  let values = 0
  let inString = false
  let escaped = false
  let expectsKey = false
  let inLiteral = false
  let excess: string | undefined

  const push = (text: string) => {
    if (excess !== undefined) return
    const nextQuote = makeNext(text, '"')
    const nextBackslash = makeNext(text, "\\")
    let at = 0
    /** Goes on behind the string that begins before this position, or to the end of the text if the string does not end. */
    const passString = () => {
      inString = true
      while (inString && at < text.length) {
        const quote = nextQuote(at)
        const backslash = nextBackslash(at)
        if (backslash < quote) {
          escaped = backslash + 1 === text.length
          at = backslash + 2
        } else {
          inString = quote === text.length
          at = quote + 1
        }
      }
      if (!inString && !expectsKey) safeEnd = length + at
    }
    if (inString && escaped && text !== "") {
      escaped = false
      at = 1
    }
    if (inString) passString()
    while (at < text.length) {
      const code = text.charCodeAt(at++)
      const wasLiteral = inLiteral
      inLiteral = false
      switch (code) {
        case QUOTE:
          if (!expectsKey) values++
          passString()
          break
        case 0x7b: // {
        case 0x5b: // [
          values++
          open.push(code === 0x7b ? "}" : "]")
          expectsKey = code === 0x7b
          safeEnd = length + at
          if (open.length > limits.depth) excess = tooDeep(limits.depth)
          break
        case 0x7d: // }
        case 0x5d: // ]
          open.pop()
          expectsKey = false
          safeEnd = length + at
          break
        case 0x2c: // ,
          expectsKey = open[open.length - 1] === "}"
          safeEnd = length + at - 1
          break
        case 0x3a: // :
          expectsKey = false
          break
        case 0x20:
        case 0x09:
        case 0x0a:
        case 0x0d:
          break
        default:
          if (!wasLiteral) values++
          inLiteral = true
      }
      if (values > limits.values) excess = tooMany(limits.values)
      if (excess !== undefined) return
    }
    length += text.length
  }

  return {
    push,
    excess: () => excess,
    isClosed: () => open.length === 0 && !inString,
    openString: () => (!inString || expectsKey ? "no" : escaped ? "escaped" : "yes"),
    safeEnd: () => safeEnd,
    closers: () => open.toReversed().join(""),
    values: () => values
  }
}
