/** Watches the output of one model call for rules. Owned by the turn that makes the call. */
import type { ModelEvent } from "../../../../domain/model/ModelEvent.ts"
import * as PathArguments from "../../../../domain/rules/PathArguments.ts"
import type { RuleInfo } from "../../../../domain/rules/Rule.ts"
import type { SourceKind } from "../../../../domain/rules/Scope.ts"
import type { CompiledRule, CompiledRules, KindOfOutput, Pattern } from "./CompiledRules.ts"
import type { Scanner } from "./RuleEngine.ts"

export interface StreamWatch {
  /** Takes an event that the host has seen. */
  readonly see: (event: ModelEvent) => void
  /** Matches what came since the last look. Returns the rules that cut the answer off, if any. */
  readonly look: () => ReadonlyArray<RuleInfo> | undefined
  /** The rules that have matched so far, also those that do not cut the answer. */
  readonly matched: () => ReadonlyArray<RuleInfo>
}

interface Options {
  readonly rules: CompiledRules
  readonly mayFire: (rule: CompiledRule) => boolean
  /** The rest of this output is not looked at: its patterns take too much time. */
  readonly spent: (kind: SourceKind) => void
}

/** A tool call whose arguments arrive. */
interface OpenCall {
  readonly tool: string
  readonly args: PathArguments.PathArguments
  readonly scanner: Scanner
  /** Patterns that were found and wait for a path. */
  waiting: Array<Pattern>
  /** How many paths the waiting patterns were compared with. */
  compared: number
}

/** Whether the pattern counts in a call, as far as its paths have arrived. */
const counts = ({ rule, tools }: Pattern, tool: string, paths: ReadonlyArray<string>): boolean =>
  (rule.fits === undefined || paths.some(rule.fits)) &&
  tools.some((target) => {
    if (target.tool !== undefined && target.tool !== tool) return false
    return target.fits === undefined || paths.some(target.fits)
  })

/** Whether a path that is still to come can make the pattern count. */
const mayCount = ({ rule, tools }: Pattern, tool: string) =>
  tools.some(
    (target) => (target.tool === undefined || target.tool === tool) && (target.fits ?? rule.fits) !== undefined
  )

export const make = ({ mayFire, rules, spent }: Options): StreamWatch => {
  const matched = new Set<CompiledRule>()
  let cutting: Array<RuleInfo> = []
  /** The block that is open. */
  let kind: SourceKind | undefined
  let call: OpenCall | undefined
  /** The calls whose arguments have grown since the last look. */
  const grown = new Set<OpenCall>()

  const match = (rule: CompiledRule, cuts: boolean) => {
    if (matched.has(rule) || !mayFire(rule)) return
    matched.add(rule)
    if (cuts) cutting.push(rule.info)
  }

  const watched = (name: SourceKind) => {
    const output = rules[name]
    return output?.patterns.some(({ rule }) => mayFire(rule)) === true ? output : undefined
  }

  /** Prose is one text, however many blocks it has. */
  const prose = (name: "text" | "thinking") => {
    const output = watched(name)
    return output?.set.scanner(
      (index) => {
        const rule = output.patterns[index]?.rule
        if (rule !== undefined) match(rule, rule.cutsProse)
      },
      () => spent(name)
    )
  }
  const proseScanners = { text: prose("text"), thinking: prose("thinking") }
  const inTools = watched("tool")

  const open = (name: string, output: KindOfOutput) => {
    const tool = name.toLowerCase()
    const args = PathArguments.make()
    const scanner = output.set.scanner(
      (index) => {
        const pattern = output.patterns[index]
        if (pattern === undefined || !mayFire(pattern.rule)) return
        if (counts(pattern, tool, args.paths())) match(pattern.rule, pattern.rule.cutsTools)
        else if (mayCount(pattern, tool)) opened.waiting.push(pattern)
      },
      () => spent("tool")
    )
    const opened: OpenCall = { tool, args, scanner, waiting: [], compared: 0 }
    call = opened
  }

  const readArguments = (delta: string) => {
    if (call === undefined) return
    if (rules.usesPaths) call.args.push(delta)
    call.scanner.push(delta)
    grown.add(call)
  }

  const lookAt = (call: OpenCall) => {
    call.scanner.look()
    const paths = call.args.paths()
    if (call.waiting.length === 0 || paths.length === call.compared) return
    const { tool, waiting } = call
    call.waiting = waiting.filter((pattern) => {
      if (!counts(pattern, tool, paths)) return true
      match(pattern.rule, pattern.rule.cutsTools)
      return false
    })
    call.compared = paths.length
  }

  const read = (delta: string) => {
    if (kind === "tool") readArguments(delta)
    else if (kind !== undefined) proseScanners[kind]?.push(delta)
  }

  const see = (event: ModelEvent) => {
    switch (event._tag) {
      case "Delta":
        read(event.delta)
        break
      case "TextStarted":
        kind = "text"
        break
      case "ThinkingStarted":
        kind = "thinking"
        break
      case "ToolCallStarted":
        kind = "tool"
        if (inTools !== undefined) open(event.name, inTools)
        break
      case "BlockEnded":
        kind = undefined
        break
    }
  }

  const look = () => {
    proseScanners.text?.look()
    proseScanners.thinking?.look()
    grown.forEach(lookAt)
    grown.clear()
    if (cutting.length === 0) return undefined
    const cut = cutting
    cutting = []
    return cut
  }

  return { see, look, matched: () => [...matched].map(({ info }) => info) }
}
