import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as Rule from "../../../src/domain/approvals/Rule.ts"

const good: ReadonlyArray<[text: string, rule: Rule.Rule]> = [
  ["bash", { tool: "bash" }],
  ["*", { tool: "*" }],
  ["todo_write", { tool: "todo_write" }],
  [" bash(git status*) ", { tool: "bash", pattern: "git status*" }],
  ["bash(echo (a) b)", { tool: "bash", pattern: "echo (a) b" }],
  ["bash( ls)", { tool: "bash", pattern: " ls" }],
  ["bash(a\nb)", { tool: "bash", pattern: "a\nb" }],
  ["write(src/**)", { tool: "write", pattern: "src/**" }],
  ["read(~/.ssh/**)", { tool: "read", pattern: "~/.ssh/**" }],
  ["mcp(github/create_issue)", { tool: "mcp", pattern: "github/create_issue" }],
  ["mcp(*)", { tool: "mcp", pattern: "*" }],
  ["host(deploy)", { tool: "host", pattern: "deploy" }],
  ["extension(x)", { tool: "extension", pattern: "x" }],
  ["task(Explore)", { tool: "task", pattern: "Explore" }],
  ["host", { tool: "host" }]
]

const bad: ReadonlyArray<[text: string, why: string]> = [
  ["", "A rule is empty. Write a tool, such as bash, or a tool and a pattern, such as bash(git status*)"],
  ["bash(rm *", 'Rule bash(rm *: the ")" at the end is missing'],
  ["bash(rm *) x", 'Rule bash(rm *) x: the ")" at the end is missing'],
  ["bash)", 'Rule bash): the "(" before the pattern is missing'],
  ["bash()", "Rule bash(): the pattern is empty. Write bash for every call of it"],
  ["*(x)", "Rule *(x): * takes no pattern. Write *"],
  ["mcp(github)", "Rule mcp(github): name the server and the tool, such as mcp(github/*)"]
]

describe("Rule", () => {
  it.each(good)("%j is a rule", (text, rule) => {
    assert.deepStrictEqual(Rule.parse(text), Either.right(rule))
    assert.deepStrictEqual(Rule.parse(Rule.print(rule)), Either.right(rule))
    assert.deepStrictEqual(Rule.fromWire(rule), Either.right(rule))
  })

  it.each(bad)("%j is none", (text, why) => {
    assert.deepStrictEqual(Rule.parse(text), Either.left(why))
  })

  it.each(["shell(ls)", "Bash", "constructor", "bash (ls)", "(ls)"])("%j names no tool", (text) => {
    const parsed = Rule.parse(text)
    assert.match(Either.isLeft(parsed) ? parsed.left : "", /there is no tool ".*"\. Use one of \*, bash, read/)
  })
})
