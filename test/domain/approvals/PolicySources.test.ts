import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { type Mode, noRules } from "../../../src/domain/approvals/Policy.ts"
import * as Modes from "../../../src/domain/approvals/Modes.ts"
import * as Sources from "../../../src/domain/approvals/PolicySources.ts"

const rule = (pattern: string) => ({ tool: "bash", pattern })
const nothing: Sources.Source = { rules: noRules }
const sources: Sources.Sources = {
  flags: nothing,
  user: nothing,
  project: Sources.noTightening,
  host: Sources.fromHost,
  answers: []
}

describe("PolicySources", () => {
  it("is off where nobody says anything", () => {
    assert.deepStrictEqual(Sources.join(sources), { ...noRules, mode: "off", unasked: "reads", timeoutMs: 300_000 })
  })

  it("adds the rules of all sources", () => {
    const rules = (name: string) => ({ allow: [rule(`${name}1`)], ask: [rule(`${name}2`)], deny: [rule(`${name}3`)] })
    const joined = Sources.join({
      flags: { rules: rules("f") },
      user: { rules: rules("u") },
      project: { ...Sources.noTightening, ask: [rule("p2")], deny: [rule("p3")] },
      host: { rules: rules("h") },
      answers: [rule("a1")]
    })
    assert.deepStrictEqual(
      joined.allow.map(({ pattern }) => pattern),
      ["f1", "u1", "h1", "a1"]
    )
    assert.deepStrictEqual(
      joined.ask.map(({ pattern }) => pattern),
      ["f2", "u2", "p2", "h2"]
    )
    assert.deepStrictEqual(
      joined.deny.map(({ pattern }) => pattern),
      ["f3", "u3", "p3", "h3"]
    )
  })

  it("takes the mode of the host, the command line, the user, in this order, and the project's if it is stricter", () => {
    const mode = (host?: Mode, flags?: Mode, user?: Mode, tight?: Mode) =>
      Sources.join({
        ...sources,
        host: { ...Sources.fromHost, ...(host === undefined ? {} : { mode: host }) },
        flags: { ...nothing, ...(flags === undefined ? {} : { mode: flags }) },
        user: { ...nothing, ...(user === undefined ? {} : { mode: user }) },
        project: { ...Sources.noTightening, ...(tight === undefined ? {} : { mode: tight }) }
      }).mode
    assert.strictEqual(mode("deny", "ask", "off"), "deny")
    assert.strictEqual(mode(undefined, "off", "ask"), "off")
    assert.strictEqual(mode(undefined, undefined, "ask"), "ask")
    assert.strictEqual(mode(undefined, "off", undefined, "ask"), "ask")
    assert.strictEqual(mode("off", undefined, "ask", "deny"), "deny")
    assert.strictEqual(mode(undefined, "deny", undefined, "ask"), "deny")
  })

  it("takes the shorter deadline of a project", () => {
    const timeoutMs = (user: number, tight: number) =>
      Sources.join({
        ...sources,
        user: { ...nothing, timeoutMs: user },
        project: { ...Sources.noTightening, timeoutMs: tight }
      }).timeoutMs
    assert.strictEqual(timeoutMs(1000, 500), 500)
    assert.strictEqual(timeoutMs(1000, 5000), 1000)
  })

  it("reads rules, or says what is wrong with the first that is none", () => {
    assert.deepStrictEqual(
      Sources.rulesOf({ allow: ["bash(ls)"], deny: ["write"] }),
      Either.right({ allow: [rule("ls")], ask: [], deny: [{ tool: "write" }] })
    )
    assert.deepStrictEqual(
      Sources.rulesOf({ ask: ["bash(ls", "nothing"] }),
      Either.left('Rule bash(ls: the ")" at the end is missing')
    )
  })

  it("replaces the host's rules as a whole, and its mode alone", () => {
    const first = Sources.changeHost(Sources.fromHost, { mode: "ask", rules: { deny: [rule("rm *")] } }, undefined)
    const after: Sources.HostPolicy = { mode: "ask", rules: { ...noRules, deny: [rule("rm *")] } }
    assert.deepStrictEqual(first, Either.right(after))
    assert.deepStrictEqual(
      Sources.changeHost(after, { rules: { allow: [rule("ls")] } }, undefined),
      Either.right({ mode: "ask", rules: { ...noRules, allow: [rule("ls")] } })
    )
    assert.deepStrictEqual(
      Sources.changeHost(after, { mode: "off" }, undefined),
      Either.right({ ...after, mode: "off" })
    )
    assert.deepStrictEqual(Sources.changeHost(after, {}, "ask"), Either.right(after))
  })

  it("lets a host only tighten what the command line says", () => {
    const code = (change: Sources.HostChange, fixed: Mode) =>
      Either.match(Sources.changeHost(Sources.fromHost, change, fixed), {
        onLeft: (refusal) => refusal.code,
        onRight: () => "changed"
      })
    assert.strictEqual(code({ mode: "off" }, "ask"), "approvals_fixed")
    assert.strictEqual(code({ mode: "ask" }, "deny"), "approvals_fixed")
    assert.strictEqual(code({ mode: "ask" }, "ask"), "changed")
    assert.strictEqual(code({ mode: "deny" }, "ask"), "changed")
    assert.strictEqual(code({ rules: { allow: [rule("ls")] } }, "deny"), "approvals_fixed")
    assert.strictEqual(code({ rules: { allow: [] } }, "deny"), "changed")
    assert.strictEqual(code({ rules: { allow: [rule("ls")] } }, "ask"), "changed")
    assert.strictEqual(code({ rules: { deny: [{ tool: "nothing" }] } }, "deny"), "invalid_params")
  })

  it("knows the presets", () => {
    assert.isTrue(Modes.isPreset("read-only"))
    assert.isFalse(Modes.isPreset("ask"))
    assert.isFalse(Modes.isPreset("toString"))
    assert.deepStrictEqual(Modes.presets.auto, {
      mode: "ask",
      sandbox: "workspace-write",
      network: "off",
      unasked: "sandboxed"
    })
  })
})
