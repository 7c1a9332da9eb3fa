/**
 * A deterministic automaton over a compiled set of patterns, which builds its states when a text needs them and keeps its
 * place between two pieces of text. The patterns that begin at every character are expanded once for each class of
 * characters, not for each state: with hundreds of patterns that is nearly all of the work.
 */

/** An instruction of re2js 2.10.0. */
interface Instruction {
  readonly op: number
  readonly out: number
  readonly arg: number
  readonly matchRune: (rune: number) => boolean
}

export interface Program {
  readonly inst: ReadonlyArray<Instruction>
  readonly start: number
}

/** Characters that no pattern tells apart have the same class. */
export interface Classes {
  readonly numClasses: number
  readonly latin1Class: Int32Array
  readonly runeClass: (rune: number) => number
}

export interface State {
  /** Where patterns that have begun go on, in order. */
  readonly pcs: ReadonlyArray<number>
  /** What stands before the next character. */
  readonly before: number
  /** By class; the last one is that of the end. */
  readonly moves: Array<Move | undefined>
}

export interface Move {
  readonly to: State
  /** The patterns that end before the character; `noPatterns` if there are none. */
  readonly found: ReadonlyArray<number>
  /** How many instructions it took to build the move. */
  readonly work: number
}

const op = { alt: 1, altMatch: 2, capture: 3, emptyWidth: 4, match: 6, nop: 7, firstRune: 8, lastRune: 11 } as const
const flag = { beginLine: 1, endLine: 2, beginText: 4, endText: 8, boundary: 16, noBoundary: 32 } as const
const before = { nothing: 1, newline: 2, word: 4 } as const

export const endOfText = -1
export const noPatterns: ReadonlyArray<number> = []
const newline = 10

/** Members of all tables of moves together: 8 MB. */
const mostMoves = 1_000_000

const ascending = (a: number, b: number) => a - b

const isWord = (rune: number) =>
  (rune >= 48 && rune <= 57) || (rune >= 65 && rune <= 90) || rune === 95 || (rune >= 97 && rune <= 122)

interface Expanded {
  /** Instructions that wait for a character. */
  readonly waiting: ReadonlyArray<number>
  readonly found: ReadonlyArray<number>
  readonly work: number
}

export type Automaton = ReturnType<typeof make>

export const make = ({ inst, start }: Program, classes: Classes) => {
  const { numClasses } = classes
  const used = inst.reduce((flags, { arg, op: kind }) => (kind === op.emptyWidth ? flags | arg : flags), 0)
  const asksWords = (used & (flag.boundary | flag.noBoundary)) !== 0
  const asksLines = (used & flag.beginLine) !== 0
  const mostStates = Math.max(100, Math.floor(mostMoves / (numClasses + 1)))
  let states = new Map<string, State>()
  /** The instructions that were met in the expansion with this number. */
  const marks = new Uint32Array(inst.length)
  let mark = 0
  const starts = new Map<number, Expanded>()
  const startMoves = new Map<number, ReadonlyArray<number>>()

  const stateOf = (pcs: ReadonlyArray<number>, context: number): State => {
    const key = `${context}:${pcs.join()}`
    const known = states.get(key)
    if (known !== undefined) return known
    // Tables that are still in use go with the texts that use them.
    if (states.size >= mostStates) states = new Map()
    const state: State = { pcs, before: context, moves: Array.from({ length: numClasses + 1 }) }
    states.set(key, state)
    return state
  }

  const contextAfter = (rune: number) =>
    (asksLines && rune === newline ? before.newline : 0) | (asksWords && isWord(rune) ? before.word : 0)

  const flagsAt = (context: number, rune: number) => {
    let flags = 0
    if ((context & before.nothing) !== 0) flags |= flag.beginText | flag.beginLine
    if ((context & before.newline) !== 0) flags |= flag.beginLine
    if (rune === newline) flags |= flag.endLine
    if (rune === endOfText) flags |= flag.endLine | flag.endText
    flags |= isWord(rune) === ((context & before.word) !== 0) ? flag.noBoundary : flag.boundary
    return flags & used
  }

  const expand = (pcs: ReadonlyArray<number>, flags: number): Expanded => {
    const stack = [...pcs]
    const waiting: Array<number> = []
    const found: Array<number> = []
    let work = 0
    mark++
    for (let pc = stack.pop(); pc !== undefined; pc = stack.pop()) {
      const at = inst[pc]
      if (at === undefined || marks[pc] === mark) continue
      marks[pc] = mark
      work++
      if (at.op >= op.firstRune && at.op <= op.lastRune) waiting.push(pc)
      else if (at.op === op.match) found.push(at.arg)
      else if (at.op === op.alt || at.op === op.altMatch) stack.push(at.arg, at.out)
      else if (at.op === op.capture || at.op === op.nop) stack.push(at.out)
      else if (at.op === op.emptyWidth && (at.arg & ~flags) === 0) stack.push(at.out)
    }
    return { waiting, found, work }
  }

  const memo = <A>(kept: Map<number, A>, key: number, create: () => A): A => {
    const known = kept.get(key)
    if (known !== undefined) return known
    const made = create()
    kept.set(key, made)
    return made
  }

  const after = (waiting: ReadonlyArray<number>, rune: number) => {
    const outs: Array<number> = []
    for (const pc of waiting) {
      const at = inst[pc]
      if (at !== undefined && at.matchRune(rune)) outs.push(at.out)
    }
    return outs
  }

  /** Both lists as one, in order and without duplicates. */
  const join = (one: ReadonlyArray<number>, other: ReadonlyArray<number>): ReadonlyArray<number> => {
    if (one.length === 0) return other
    return [...new Set([...one, ...other])].sort(ascending)
  }

  const moveFrom = (from: State, type: number, rune: number): Move => {
    const flags = flagsAt(from.before, rune)
    const own = expand(from.pcs, flags)
    const fresh = memo(starts, flags, () => expand([start], flags))
    const both = join(own.found, fresh.found)
    const found = both.length === 0 ? noPatterns : both
    if (rune === endOfText) return { to: from, found, work: own.work }
    const begun = memo(startMoves, flags * (numClasses + 1) + type, () =>
      join(noPatterns, after(fresh.waiting, rune).sort(ascending))
    )
    const pcs = join(after(own.waiting, rune), begun)
    return { to: stateOf(pcs, contextAfter(rune)), found, work: own.work + pcs.length }
  }

  const typeOf = (rune: number) => (rune === endOfText ? numClasses : classes.runeClass(rune))

  /** The move that `from` does not have yet. */
  const build = (from: State, type: number, rune: number): Move => {
    const move = moveFrom(from, type, rune)
    from.moves[type] = move
    return move
  }

  return { start: stateOf([], before.nothing), typeOf, build, latin1: classes.latin1Class }
}
