import { assert, describe, it } from "@effect/vitest"
import type { ModelEvent } from "../../../../../src/domain/model/ModelEvent.ts"
import type { RuleProblem } from "../../../../../src/domain/rules/Rule.ts"
import * as CompiledRules from "../../../../../src/layers/session/modules/rules/CompiledRules.ts"
import * as RuleEngine from "../../../../../src/layers/session/modules/rules/RuleEngine.ts"
import * as StreamWatch from "../../../../../src/layers/session/modules/rules/StreamWatch.ts"
import * as RuleTexts from "../../../../support/agent/RuleTexts.ts"

const { rule } = RuleTexts

const text = (...deltas: ReadonlyArray<string>) => block({ _tag: "TextStarted" }, deltas)
const thinking = (...deltas: ReadonlyArray<string>) => block({ _tag: "ThinkingStarted" }, deltas)
const call = (name: string, ...deltas: ReadonlyArray<string>) =>
  block({ _tag: "ToolCallStarted", id: "c", name }, deltas)
const block = (start: ModelEvent, deltas: ReadonlyArray<string>): ReadonlyArray<ModelEvent> => [
  start,
  ...deltas.map((delta): ModelEvent => ({ _tag: "Delta", delta })),
  { _tag: "BlockEnded" }
]

const compile = (rules: RuleTexts.RuleTexts, interruptMode: "always" | "never" = "always") => {
  const problems: Array<RuleProblem> = []
  const compiled = CompiledRules.make(RuleEngine, RuleTexts.read(rules).stream, {
    cwd: "/work",
    interruptMode,
    now: () => 0,
    report: (problem) => problems.push(problem)
  })
  return { compiled, problems }
}

const watchOf = (rules: RuleTexts.RuleTexts, mayFire: (name: string) => boolean = () => true) =>
  StreamWatch.make({ rules: compile(rules).compiled, mayFire: ({ info }) => mayFire(info.name), spent: () => {} })

/** The rules that cut, with the index of the event behind which they did, and all that matched. */
const watch = (
  rules: RuleTexts.RuleTexts,
  events: ReadonlyArray<ModelEvent>,
  mayFire: (name: string) => boolean = () => true
) => {
  const watch = watchOf(rules, mayFire)
  const cuts = events.flatMap((event, at) => {
    watch.see(event)
    const cut = watch.look()
    return cut === undefined ? [] : [[at, ...cut.map(({ name }) => name)]]
  })
  return { cuts, matched: watch.matched().map(({ name }) => name) }
}

const cut = (at: number, ...names: ReadonlyArray<string>) => ({ cuts: [[at, ...names]], matched: names })
const nothing = { cuts: [], matched: [] }

describe("rules that watch a stream", () => {
  it("text, thinking and the arguments of tools, each in its scope", () => {
    const rules = {
      t: rule({ condition: "bad", scope: "text" }),
      k: rule({ condition: "bad", scope: "thinking" }),
      c: rule({ condition: "bad", scope: "tool:bash" })
    }
    assert.deepStrictEqual(watch(rules, text("a ", "b", "ad", "x")), cut(3, "t"))
    assert.deepStrictEqual(watch(rules, thinking("bad")), cut(1, "k"))
    assert.deepStrictEqual(watch(rules, call("Bash", '{"command":"b', 'ad"}')), cut(2, "c"))
    assert.deepStrictEqual(watch(rules, call("ls", '{"path":"bad"}')), nothing)
    const plain = { d: rule({ condition: "bad" }) }
    assert.deepStrictEqual(watch(plain, [...thinking("bad"), ...text("b"), ...call("any", "bad")]), cut(7, "d"))
  })

  it("a text is one text over its blocks; each call is a text of its own", () => {
    const rules = { r: rule({ condition: "console\\.log" }) }
    assert.deepStrictEqual(watch(rules, [...text("cons"), ...thinking("x"), ...text("ole.log")]), cut(7, "r"))
    assert.deepStrictEqual(watch(rules, [...text("cons"), ...call("a", "ole.log")]), nothing)
    assert.deepStrictEqual(watch(rules, [...call("a", "cons"), ...call("a", "ole.log")]), nothing)
  })

  it("several rules at one delta come together, each once", () => {
    const rules = { a: rule({ condition: "x" }), b: rule({ condition: ["x", "y"] }), c: rule({ condition: "z" }) }
    assert.deepStrictEqual(watch(rules, text("xy", "xy", "z")), {
      cuts: [
        [1, "a", "b"],
        [3, "c"]
      ],
      matched: ["a", "b", "c"]
    })
  })

  it("one look covers all blocks of a batch, and a pattern in each of them", () => {
    const rules = {
      t: rule({ condition: "one two", scope: "text" }),
      c: rule({ condition: "bad", scope: "edit(*.rs)" }),
      d: rule({ condition: "worse", scope: "tool:bash" })
    }
    const watch = watchOf(rules)
    const first = [...text("one ", "two"), ...call("edit", '{"new":"bad",'), ...call("bash", "worse")]
    first.forEach(watch.see)
    assert.deepStrictEqual(
      watch.look()?.map(({ name }) => name),
      ["t", "d"]
    )
    assert.isUndefined(watch.look())
    const second = call("edit", '{"new":"bad",', '"path":"a.rs"}')
    second.slice(0, 2).forEach(watch.see)
    assert.isUndefined(watch.look())
    second.slice(2).forEach(watch.see)
    assert.deepStrictEqual(
      watch.look()?.map(({ name }) => name),
      ["c"]
    )
  })

  it("rules that were told already are left alone", () => {
    const rules = { a: rule({ condition: "x" }), b: rule({ condition: "x" }) }
    assert.deepStrictEqual(
      watch(rules, text("x"), (name) => name === "b"),
      cut(1, "b")
    )
    assert.deepStrictEqual(
      watch(rules, text("x"), () => false),
      nothing
    )
    assert.deepStrictEqual(
      watch(rules, call("t", "x"), (name) => name === "b"),
      cut(1, "b")
    )
  })

  it("interrupts only where its mode says so", () => {
    const modes = { never: "n", "prose-only": "p", "tool-only": "t", always: "a" }
    const rules = Object.fromEntries(
      Object.entries(modes).map(([interruptMode, name]) => [name, rule({ condition: "x", interruptMode })])
    )
    assert.deepStrictEqual(watch(rules, text("x")), { cuts: [[1, "p", "a"]], matched: ["n", "p", "t", "a"] })
    assert.deepStrictEqual(watch(rules, call("t", "x")), { cuts: [[1, "t", "a"]], matched: ["n", "p", "t", "a"] })
  })

  it("a glob waits for the path, wherever it comes", () => {
    const rules = { r: rule({ condition: "unwrap", scope: "edit(*.rs), tool:write(src/**)" }) }
    assert.deepStrictEqual(watch(rules, call("edit", '{"path":"a.rs",', '"new":"unwrap"}')), cut(2, "r"))
    assert.deepStrictEqual(watch(rules, call("edit", '{"new":"unwrap",', '"path":"a', '.rs"', "}")), cut(3, "r"))
    assert.deepStrictEqual(watch(rules, call("edit", '{"new":"unwrap","path":"a.ts"}')), nothing)
    assert.deepStrictEqual(watch(rules, call("write", '{"path":"/work/src/x/a.ts","t":"unwrap"}')), cut(1, "r"))
    assert.deepStrictEqual(watch(rules, call("write", '{"path":"./src/a.ts","t":"unwrap"}')), cut(1, "r"))
    assert.deepStrictEqual(watch(rules, call("write", '{"path":"/else/src/a.ts","t":"unwrap"}')), nothing)
    assert.deepStrictEqual(watch(rules, call("bash", '{"path":"a.rs","t":"unwrap"}')), nothing)
    assert.deepStrictEqual(watch(rules, text("unwrap")), nothing)
  })

  it("globs restrict a rule to calls about such files", () => {
    const rules = { r: rule({ condition: "any", globs: ["*.ts", "lib/**"] }) }
    assert.deepStrictEqual(
      watch(rules, [...text("any"), ...call("edit", '{"path":"deep/a.ts","new":"any"}')]),
      cut(4, "r")
    )
    assert.deepStrictEqual(watch(rules, call("x", '{"paths":["a.md","lib/x.md"],"new":"any"}')), cut(1, "r"))
    assert.deepStrictEqual(watch(rules, call("edit", '{"path":"a.md","new":"any"}')), nothing)
    assert.deepStrictEqual(watch(rules, call("bash", '{"command":"any"}')), nothing)
  })

  it("a condition that is a file glob fires for edits and writes of such files", () => {
    const rules = { r: rule({ condition: "*.rs" }) }
    assert.deepStrictEqual(watch(rules, call("write", '{"path":"src/a', '.rs"', ',"content"')), cut(2, "r"))
    assert.deepStrictEqual(watch(rules, call("edit", '{"path":"a.rs"}')), cut(1, "r"))
    assert.deepStrictEqual(watch(rules, [...call("read", '{"path":"a.rs"}'), ...text("a.rs")]), nothing)
  })

  it("bad conditions are reported, and the rest of the rule stays", () => {
    const { compiled, problems } = compile(
      { a: rule({ condition: ["(?=x)", "ok"] }), b: rule({ condition: "[" }) },
      "never"
    )
    assert.deepStrictEqual(
      compiled.rules.map(({ cutsProse, info }) => [info.name, info.condition, cutsProse]),
      [["a", ["ok"], false]]
    )
    assert.deepStrictEqual(
      problems.map(({ message, path }) => [path, message.slice(0, 30)]),
      [
        ["/rules/a.md", 'condition: "(?=x)" invalid or '],
        ["/rules/b.md", 'condition: "[" missing closing'],
        ["/rules/b.md", "the rule is ignored: it has no"]
      ]
    )
  })
})
