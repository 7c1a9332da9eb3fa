/**
 * Finds the lines of a text that a pattern matches, here or in a thread of its own. Nobody can stop a regular expression in the middle
 * of a text, and one with nested repetition may take for ever: a thread is ended from outside, and frames go on meanwhile.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export interface Line {
  readonly line: number
  readonly text: string
}

/** A pattern as it is sent to a thread. */
export interface Rule {
  readonly source: string
  readonly flags: string
  /** A look-around may read beyond its match into another line, so every line is looked at by itself. */
  readonly looksAround: boolean
}

interface Question {
  readonly id: number
  readonly text: string
  readonly firstLine: number
  readonly most: number
}

interface Answer {
  readonly id: number
  readonly lines: ReadonlyArray<Line>
}

export class ThreadFailed extends Schema.TaggedError<ThreadFailed>()("ThreadFailed", { message: Schema.String }) {}

/** At most `most` lines. The text has whole lines; `firstLine` is the number of its first. */
export type Find = (text: string, firstLine: number, most: number) => Effect.Effect<ReadonlyArray<Line>, ThreadFailed>

/**
 * Runs the pattern over many lines at once and looks at single lines only where it found something: a line that matches by itself
 * also matches there, unless the pattern looks around. A thread gets the text of this function, so it uses nothing else of this file.
 */
const makeFind = ({ flags, looksAround, source }: Rule) => {
  const pattern = new RegExp(source, flags)
  const single = new RegExp(source, flags.replace("g", ""))
  return (text: string, firstLine: number, most: number): ReadonlyArray<Line> => {
    const lines: Array<Line> = []
    let line = firstLine
    let start = 0
    while (start < text.length && lines.length < most) {
      pattern.lastIndex = start
      const candidate = looksAround ? start : pattern.exec(text)?.index
      if (candidate === undefined) break
      for (let at = text.indexOf("\n", start); at !== -1 && at < candidate; at = text.indexOf("\n", start)) {
        line++
        start = at + 1
      }
      if (start === text.length) break
      const found = text.indexOf("\n", start)
      const end = found === -1 ? text.length : found
      const content = text.slice(start, text[end - 1] === "\r" && end > start ? end - 1 : end)
      if (single.test(content)) lines.push({ line, text: content })
      line++
      start = end + 1
    }
    return lines
  }
}

/** What the thread runs. As text it needs no file beside the bundle, the single executable or the library for Node. */
const program = (rule: Rule) => `
  const { parentPort } = require("node:worker_threads")
  const find = (${String(makeFind)})(${JSON.stringify(rule)})
  parentPort.on("message", ({ id, text, firstLine, most }) => parentPort.postMessage({ id, lines: find(text, firstLine, most) }))
`

/** Loaded with the first thread. */
const start = (rule: Rule) => {
  const { Worker }: typeof import("node:worker_threads") = require("node:worker_threads")
  return new Worker(program(rule), { eval: true, env: {} })
}

/** In a thread that ends with the scope, whatever it is doing. */
const inThread = Effect.fnUntraced(function* (rule: Rule) {
  const waiting = new Map<number, (answer: Effect.Effect<ReadonlyArray<Line>, ThreadFailed>) => void>()
  const worker = yield* Effect.acquireRelease(
    Effect.sync(() => start(rule)),
    // It ends once the pattern lets it.
    (thread) => Effect.sync(() => void thread.terminate())
  )
  worker.on("message", ({ id, lines }: Answer) => waiting.get(id)?.(Effect.succeed(lines)))
  worker.on("error", (cause: unknown) => {
    const failure = new ThreadFailed({ message: cause instanceof Error ? cause.message : String(cause) })
    for (const resume of waiting.values()) resume(failure)
  })
  let ids = 0
  const find: Find = (text, firstLine, most) =>
    Effect.suspend(() => {
      const question: Question = { id: ++ids, text, firstLine, most }
      const forget = Effect.sync(() => waiting.delete(question.id))
      const asked = Effect.async<ReadonlyArray<Line>, ThreadFailed>((resume) => {
        waiting.set(question.id, resume)
        worker.postMessage(question)
      })
      return Effect.ensuring(asked, forget)
    })
  return find
})

/** Without repetition and alternatives a pattern reads each character at most as often as it is long. */
const canBacktrack = ({ source }: Rule) => /[*+?{|]/.test(source)

const here = (rule: Rule): Find => {
  const find = makeFind(rule)
  return (text, firstLine, most) => Effect.sync(() => find(text, firstLine, most))
}

/** Until the scope closes. */
export const make = (rule: Rule) => (canBacktrack(rule) ? inThread(rule) : Effect.succeed(here(rule)))
