/** Stream rules with their patterns compiled: one set of patterns for each kind of output that rules watch. */
import * as Either from "effect/Either"
import {
  interrupts,
  type RuleInfo,
  type RuleInterruptMode,
  type RuleProblem,
  type StreamRule
} from "../../../../domain/rules/Rule.ts"
import type { ScopeToken, SourceKind } from "../../../../domain/rules/Scope.ts"
import { defined } from "../../../../domain/Values.ts"
import * as LocalPaths from "../../../machine/files/LocalPaths.ts"
import * as PathPattern from "../../../machine/files/folders/PathPattern.ts"
import type * as RuleEngine from "./RuleEngine.ts"

type Engine = Pick<typeof RuleEngine, "make" | "read">

/** Whether the path fits: as it was written, relative to the working folder, or its last name. */
export type PathTest = (path: string) => boolean

/** Where a pattern counts in the arguments of a tool. */
export interface ToolPlace {
  /** In lower case; any tool where absent. */
  readonly tool?: string
  readonly fits?: PathTest
}

export interface CompiledRule {
  readonly info: RuleInfo
  /** The files that the rule is about; all where absent. */
  readonly fits?: PathTest
  readonly cutsProse: boolean
  readonly cutsTools: boolean
}

export interface Pattern {
  readonly rule: CompiledRule
  readonly tools: ReadonlyArray<ToolPlace>
}

export interface KindOfOutput {
  readonly patterns: ReadonlyArray<Pattern>
  readonly set: RuleEngine.PatternSet
}

export type CompiledRules = { readonly [Kind in SourceKind]?: KindOfOutput } & {
  readonly rules: ReadonlyArray<CompiledRule>
  /** Whether a rule asks for the paths among the arguments of tools. */
  readonly usesPaths: boolean
}

interface Options {
  readonly cwd: string
  readonly interruptMode: RuleInterruptMode
  /** Counts milliseconds. */
  readonly now: () => number
  readonly report: (problem: RuleProblem) => void
}

const pathTest = (globs: ReadonlyArray<string>, cwd: string): PathTest => {
  const matchers = globs.map(PathPattern.matcher)
  return (path) => {
    const forms = [path, LocalPaths.display(LocalPaths.resolve(cwd, path), cwd), LocalPaths.basename(path)]
    return matchers.some((matches) => forms.some((form) => matches(form.replace(/^\.\//, ""))))
  }
}

const toolPlaces = (scope: ReadonlyArray<ScopeToken>, cwd: string): ReadonlyArray<ToolPlace> =>
  scope.flatMap((token) => {
    if (token.kind !== "tool") return []
    const { glob, name } = token
    return [defined({ tool: name?.toLowerCase(), fits: glob === undefined ? undefined : pathTest([glob], cwd) })]
  })

interface Compiling extends Pattern {
  readonly compiled: RuleEngine.Pattern
  readonly kinds: ReadonlySet<SourceKind>
}

/** How large all patterns may be together, in instructions. */
const largestTotal = 500_000

/** Reads patterns until they are too large together. */
const makeReader = (engine: Engine) => {
  let left = largestTotal
  return (pattern: string): Either.Either<RuleEngine.Pattern, string> => {
    if (left <= 0) return Either.left("was left out: the conditions of all rules together are too large")
    return Either.map(engine.read(pattern), (compiled) => {
      left -= compiled.size
      return compiled
    })
  }
}

const compileRule = (
  read: ReturnType<typeof makeReader>,
  { info, watches }: StreamRule,
  options: Options
): ReadonlyArray<Compiling> => {
  const { cwd, interruptMode, report } = options
  const mode = info.interruptMode ?? interruptMode
  const usable = watches.flatMap((watch) => {
    const compiled = read(watch.pattern)
    if (Either.isRight(compiled)) return [{ ...watch, compiled: compiled.right }]
    report({ path: info.path, message: `condition: "${watch.pattern.slice(0, 80)}" ${compiled.left}` })
    return []
  })
  if (usable.length === 0) report({ path: info.path, message: "the rule is ignored: it has no valid condition" })
  const condition = [...new Set(usable.map(({ pattern }) => pattern))]
  const rule: CompiledRule = {
    info: { ...info, condition },
    ...defined({ fits: info.globs && pathTest(info.globs, cwd) }),
    cutsProse: interrupts(mode, "prose"),
    cutsTools: interrupts(mode, "tool")
  }
  return usable.map(({ compiled, scope }) => ({
    rule,
    tools: toolPlaces(scope, cwd),
    compiled,
    kinds: new Set(scope.map(({ kind }) => kind))
  }))
}

export const make = (engine: Engine, rules: ReadonlyArray<StreamRule>, options: Options): CompiledRules => {
  const read = makeReader(engine)
  const all = rules.flatMap((rule) => compileRule(read, rule, options))
  const made: Array<KindOfOutput> = []
  /** Kinds that the same patterns watch share a set. */
  const setOf = (patterns: ReadonlyArray<Compiling>) => {
    const same = made.find(
      (other) =>
        other.patterns.length === patterns.length && other.patterns.every((pattern, at) => pattern === patterns[at])
    )
    const output = same ?? {
      patterns,
      set: engine.make(
        patterns.map(({ compiled }) => compiled),
        options.now
      )
    }
    made.push(output)
    return output
  }
  const kind = <Kind extends SourceKind>(name: Kind): { readonly [K in SourceKind]?: KindOfOutput } => {
    // Prose has no path, so a rule about certain files does not watch it.
    const patterns = all.filter(({ kinds, rule }) => kinds.has(name) && (name === "tool" || rule.fits === undefined))
    if (patterns.length === 0) return {}
    return { [name]: setOf(patterns) }
  }
  return {
    ...kind("text"),
    ...kind("thinking"),
    ...kind("tool"),
    rules: [...new Set(all.map(({ rule }) => rule))],
    usesPaths: all.some(({ rule, tools }) => rule.fits !== undefined || tools.some(({ fits }) => fits !== undefined))
  }
}
