import { assert, describe, it } from "@effect/vitest"
import * as Scope from "../../../src/domain/rules/Scope.ts"

describe("scope tokens", () => {
  it("every form of protocol.md 13", () => {
    const table: ReadonlyArray<readonly [string, Scope.ScopeToken | undefined]> = [
      ["text", { kind: "text" }],
      ["Thinking", { kind: "thinking" }],
      ["tool", { kind: "tool" }],
      ["toolcall", { kind: "tool" }],
      ["tool(*.rs)", { kind: "tool", glob: "*.rs" }],
      ["tool:edit", { kind: "tool", name: "edit" }],
      ["tool:edit(src/**/*.{ts,tsx})", { kind: "tool", name: "edit", glob: "src/**/*.{ts,tsx}" }],
      ["toolcall: write ( *.go )", { kind: "tool", name: "write", glob: "*.go" }],
      ["edit", { kind: "tool", name: "edit" }],
      ["mcp.my-tool_2(*.md)", { kind: "tool", name: "mcp.my-tool_2", glob: "*.md" }],
      ["tool:", undefined],
      ["tool:edit(", undefined],
      ["tool:edit()", undefined],
      ["text(*.rs)", undefined],
      ["two words", undefined],
      ["", undefined]
    ]
    assert.deepStrictEqual(
      table.map(([text]) => [text, Scope.parse(text)]),
      table.map(([text, token]) => [text, token])
    )
  })

  it("splits at commas outside brackets", () => {
    assert.deepStrictEqual(Scope.split("text, tool:edit(*.{ts,tsx}),, write([a,b].c)"), [
      "text",
      "tool:edit(*.{ts,tsx})",
      "write([a,b].c)"
    ])
    assert.deepStrictEqual(Scope.split("a(b, c"), ["a(b, c"])
    assert.deepStrictEqual(Scope.split(" , "), [])
  })
})
