import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as Covers from "../../../src/domain/approvals/Covers.ts"
import { concerns, isActive, judge, noRules, type Policy } from "../../../src/domain/approvals/Policy.ts"
import { rulesOf, type RuleTexts } from "../../../src/domain/approvals/PolicySources.ts"
import * as Rule from "../../../src/domain/approvals/Rule.ts"
import type { Subject } from "../../../src/domain/approvals/Subject.ts"
import { bash, file, named, other } from "./subjects.ts"

const policy = (texts: RuleTexts, options: Partial<Pick<Policy, "mode" | "unasked">> = {}): Policy => ({
  mode: "ask",
  unasked: "reads",
  timeoutMs: 1000,
  ...Either.getOrThrow(rulesOf(texts)),
  ...options
})

/** Verdict and reason. */
const verdict = (given: Policy, subject: Subject): string => {
  const { reason, verdict } = judge(given, subject)
  return `${verdict}: ${reason}`
}

describe("Policy", () => {
  it("asks deny first, then ask, then allow, then what passes unasked, then the mode", () => {
    const all = policy({ deny: ["bash(rm *)"], ask: ["bash(git push*)"], allow: ["bash(git *)", "bash(rm *)"] })
    assert.strictEqual(verdict(all, bash("rm x")), "deny: rule deny:bash(rm *)")
    assert.strictEqual(verdict(all, bash("git push")), "ask: rule ask:bash(git push*)")
    assert.strictEqual(verdict(all, bash("git status")), "allow: rule allow:bash(git *)")
    assert.strictEqual(verdict(all, bash("git status && git push")), "ask: rule ask:bash(git push*)")
    assert.strictEqual(verdict(all, bash("git status && git push && rm x")), "deny: rule deny:bash(rm *)")
    assert.strictEqual(verdict(all, bash("git status && make")), "ask: mode ask")
    assert.strictEqual(verdict(all, file("read", "/work/app/x")), "allow: unasked reads")
    assert.deepStrictEqual(judge(all, bash("rm x")).rule, { tool: "bash", pattern: "rm *" })
  })

  it("lets rules hold in every mode", () => {
    const rules = { deny: ["bash(rm *)"], ask: ["bash(git push*)"], allow: ["bash(ls*)"] }
    const off = policy(rules, { mode: "off" })
    assert.strictEqual(verdict(off, bash("rm x")), "deny: rule deny:bash(rm *)")
    assert.strictEqual(verdict(off, bash("git push")), "ask: rule ask:bash(git push*)")
    assert.strictEqual(verdict(off, bash("make")), "allow: mode off")
    const deny = policy(rules, { mode: "deny" })
    assert.strictEqual(verdict(deny, bash("ls -la")), "allow: rule allow:bash(ls*)")
    assert.strictEqual(verdict(deny, bash("make")), "deny: mode deny")
    assert.deepStrictEqual(judge(deny, bash("git push")), {
      verdict: "deny",
      reason: "mode deny",
      rule: { tool: "bash", pattern: "git push*" }
    })
  })

  it("denies commands by their words, as they are written, and by the name of the program", () => {
    const denies = (pattern: string, line: string) =>
      judge(policy({ deny: [`bash(${pattern})`] }, { mode: "off" }), bash(line)).verdict === "deny"
    assert.isTrue(denies("git push --force", "ls; /usr/bin/git 'push' --force"))
    assert.isTrue(denies("git commit -m 'a b'", "ls && git commit -m 'a b' | cat"))
    assert.isTrue(denies("git commit -m 'a b'", "echo `echo \\`git commit -m 'a b'\\``"))
    assert.isTrue(denies("git commit -m 'a b'", "cat <<EOF\n$(git commit -m 'a b')\nEOF"))
    assert.isTrue(denies("LD_PRELOAD=*", "ls; LD_PRELOAD=x make"))
    assert.isTrue(denies("PATH=*", "PATH=x"))
    assert.isTrue(denies("ls; pwd", "ls; pwd"))
    assert.isFalse(denies("git push --force", "git push -f"))
    assert.isFalse(denies("git *", "digit x"))
  })

  it("is active with a mode or a rule", () => {
    assert.isFalse(isActive(policy({}, { mode: "off" })))
    assert.isTrue(isActive(policy({})))
    assert.isTrue(isActive(policy({ deny: ["bash"] }, { mode: "off" })))
  })

  it("concerns only the tools that its rules name, where the mode is off", () => {
    const given = policy({ deny: ["write(x)"], ask: ["read"], allow: ["bash(ls)"] }, { mode: "off" })
    const tools = ["write", "edit", "read", "grep", "bash", "host"].filter((tool) => concerns(given, tool))
    assert.deepStrictEqual(tools, ["write", "edit", "read", "grep"])
    assert.isTrue(concerns({ ...given, mode: "ask" }, "bash"))
    assert.isTrue(concerns(policy({ deny: ["*"] }, { mode: "off" }), "bash"))
  })

  it("allows a line only if each command has a rule", () => {
    const given = policy({ allow: ["bash(git status*)", "bash(ls *)", "bash(/opt/tool *)"] })
    const allows = (line: string, options = {}) => judge(given, bash(line, options)).verdict === "allow"
    assert.isTrue(allows("git status"))
    assert.isTrue(allows("git status -s | ls -la"))
    assert.isTrue(allows("if ls x; then git status; fi"))
    assert.isTrue(allows("/opt/tool x"))
    assert.isFalse(allows("git status; pwd"))
    assert.isFalse(allows("/tmp/git status"))
    assert.isFalse(allows("tool x"))
    assert.isFalse(allows("git status > x"))
    assert.isFalse(allows("git status", { env: { A: "1" } }))
    assert.isFalse(allows("git status", { cwd: "/work" }))
    assert.isTrue(allows("git status", { cwd: "/work/app/src" }))
  })

  it("takes a rule without a pattern for a `*` rule", () => {
    const given = policy({ allow: ["bash"] })
    assert.strictEqual(verdict(given, bash("make && ls")), "allow: rule allow:bash")
    assert.strictEqual(verdict(given, bash("make > x")), "ask: mode ask")
  })

  it("allows a whole line by a pattern without a star, whatever is in it", () => {
    const line = "for f in *; do PATH=$(x) eval \"$f\" > 'a\\b'; done"
    const given = policy({ allow: [`bash(${line.replaceAll(/[*\\]/g, "\\$&")})`] })
    assert.strictEqual(judge(given, bash(line)).verdict, "allow")
    assert.strictEqual(judge(given, bash(`${line} `)).verdict, "ask")
    assert.strictEqual(judge(given, bash(line, { env: { PATH: "/tmp" } })).verdict, "ask")
    const denied = { ...given, deny: [{ tool: "bash", pattern: "*$f" }] }
    assert.strictEqual(judge(denied, bash(line)).verdict, "deny")
  })

  it("holds for files by their text and their real path, and allows by the real path", () => {
    const given = policy({
      deny: ["read(~/.ssh/**)"],
      ask: ["write(**/*.lock)"],
      allow: ["write(src/**)", "read(/opt/**)"]
    })
    const at = (path: string, real = path, tool: "read" | "write" | "edit" | "grep" = "write") =>
      verdict(given, file(tool, path, { real }))
    assert.strictEqual(at("/work/app/src/a"), "allow: rule allow:write(src/**)")
    assert.strictEqual(at("/work/app/src/a", undefined, "edit"), "allow: rule allow:write(src/**)")
    assert.strictEqual(at("/work/app/src/a", "/etc/a"), "ask: mode ask")
    assert.strictEqual(at("/work/app/link", "/work/app/src/a"), "allow: rule allow:write(src/**)")
    assert.strictEqual(at("/work/app/src/a.lock"), "ask: rule ask:write(**/*.lock)")
    assert.strictEqual(at("/work/app/src/a", "/work/app/src/a.lock"), "ask: rule ask:write(**/*.lock)")
    assert.strictEqual(at("/work/app/src/a.lock", "/work/app/src/b"), "ask: rule ask:write(**/*.lock)")
    assert.strictEqual(at("/opt/x", undefined, "grep"), "allow: rule allow:read(/opt/**)")
    assert.strictEqual(at("/home/ada/.ssh", undefined, "grep"), "deny: rule deny:read(~/.ssh/**)")
    assert.strictEqual(at("/work/app/x", "/home/ada/.ssh/id", "read"), "deny: rule deny:read(~/.ssh/**)")
  })

  it("keeps `edit` and other tools by their name apart from their group", () => {
    const given = policy({ deny: ["edit(a)", "ls(/work/app/b)"] })
    assert.strictEqual(judge(given, file("edit", "/work/app/a")).verdict, "deny")
    assert.strictEqual(judge(given, file("write", "/work/app/a")).verdict, "ask")
    assert.strictEqual(judge(given, file("ls", "/work/app/b")).verdict, "deny")
    assert.strictEqual(judge(given, file("read", "/work/app/b")).verdict, "allow")
  })

  it("reads unasked only what is in the workspace and not hidden", () => {
    const passes = (subject: Subject) => judge(policy({}), subject).verdict === "allow"
    assert.isTrue(passes(file("read", "/work/app/x")))
    assert.isTrue(passes(file("ls", "/work/app")))
    assert.isFalse(passes(file("read", "/work/app/x", { real: "/etc/x" })))
    assert.isTrue(passes(file("read", "/elsewhere/x", { real: "/work/app/x" })))
    assert.isFalse(passes(file("read", "/work/app/vault/key")))
    assert.isFalse(passes(file("grep", "/work/app")), "the vault is below it")
    assert.isTrue(passes(file("grep", "/work/app/src")))
    assert.isFalse(passes(file("read", "/work/application/x")))
    assert.isFalse(passes(file("write", "/work/app/x")))
    assert.isFalse(passes(bash("ls")))
  })

  it("lets harmless commands pass where that is set", () => {
    const given = policy({}, { unasked: "harmless" })
    assert.strictEqual(verdict(given, bash("ls && git status")), "allow: unasked harmless")
    assert.strictEqual(verdict(given, file("read", "/work/app/x")), "allow: unasked reads")
    assert.strictEqual(verdict(given, bash("rm x")), "ask: risk deletes_files")
    assert.strictEqual(verdict(given, bash("cat ~/.ssh/x")), "ask: risk secrets")
    assert.strictEqual(verdict(given, bash("A=1; ls")), "ask: mode ask")
    assert.strictEqual(verdict(given, bash("ls", { env: { A: "1" } })), "ask: mode ask")
    assert.strictEqual(verdict(given, bash("ls", { cwd: "/etc" })), "ask: risk outside_workspace")
    assert.strictEqual(verdict(policy({}, { unasked: "harmless", mode: "deny" }), bash("rm x")), "deny: mode deny")
  })

  it("lets what the sandbox holds pass where that is set", () => {
    const given = policy({}, { unasked: "sandboxed" })
    assert.strictEqual(verdict(given, bash("rm $(x)", { isSandboxed: true })), "allow: unasked sandboxed")
    assert.strictEqual(verdict(given, file("write", "/work/app/x", { isSandboxed: true })), "allow: unasked sandboxed")
    assert.strictEqual(verdict(given, bash("ls")), "allow: unasked harmless")
    assert.strictEqual(verdict(given, file("write", "/work/app/x")), "ask: mode ask")
    assert.strictEqual(verdict(given, named("host", "x")), "ask: mode ask")
  })

  it("always asks for a call that leaves the sandbox, unless it is denied", () => {
    const given = policy({ allow: ["bash"], deny: ["bash(rm *)"] }, { mode: "off", unasked: "sandboxed" })
    const escalates = { escalates: true, isSandboxed: true, isRemembered: true }
    assert.strictEqual(verdict(given, bash("ls", escalates)), "ask: escalate")
    assert.strictEqual(verdict(given, bash("rm x", escalates)), "deny: rule deny:bash(rm *)")
    assert.strictEqual(verdict({ ...given, mode: "deny" }, bash("ls", escalates)), "deny: mode deny")
  })

  it("remembers an answer against `ask`, never against `deny`", () => {
    const given = policy({ ask: ["bash(make)"], deny: ["bash(rm *)"] })
    assert.strictEqual(verdict(given, bash("make", { isRemembered: true })), "allow: session")
    assert.strictEqual(verdict(given, bash("rm x", { isRemembered: true })), "deny: rule deny:bash(rm *)")
  })

  it("asks where a rule may hold for a part that was not read", () => {
    const padded = `: ${"x".repeat(70_000)}; rm y`
    const off = policy({ deny: ["bash(rm *)"] }, { mode: "off" })
    assert.strictEqual(verdict(off, bash(padded)), "ask: risk unparsed_shell")
    assert.strictEqual(verdict(off, bash("ls\0; rm y")), "ask: risk unparsed_shell")
    assert.strictEqual(verdict(off, bash(`${"env ".repeat(50)}rm y`)), "ask: risk unparsed_shell")
    assert.strictEqual(verdict({ ...off, mode: "deny" }, bash(padded)), "deny: mode deny")
    assert.strictEqual(verdict(policy({ deny: ["write(x)"] }, { mode: "off" }), bash(padded)), "allow: mode off")
    const whole = policy({ allow: [Rule.print(Covers.proposed(bash(padded)))] })
    assert.strictEqual(judge(whole, bash(padded)).verdict, "allow")
  })

  it("judges by names what others bring, and `task` only by a rule", () => {
    const given = policy({
      deny: ["host(drop_*)", "mcp(github/delete_*)"],
      ask: ["task(Writer)"],
      allow: ["host(read_*)", "mcp(github/*)", "extension"]
    })
    assert.strictEqual(verdict(given, named("host", "drop_all")), "deny: rule deny:host(drop_*)")
    assert.strictEqual(verdict(given, named("host", "read_all")), "allow: rule allow:host(read_*)")
    assert.strictEqual(verdict(given, named("host", "x")), "ask: mode ask")
    assert.strictEqual(verdict(given, named("mcp", "github/list")), "allow: rule allow:mcp(github/*)")
    assert.strictEqual(verdict(given, named("mcp", "github/delete_repo")), "deny: rule deny:mcp(github/delete_*)")
    assert.strictEqual(verdict(given, named("mcp", "gitlab/list")), "ask: mode ask")
    assert.strictEqual(verdict(given, named("extension", "x")), "allow: rule allow:extension")
    assert.strictEqual(verdict(given, named("task", "Writer")), "ask: rule ask:task(Writer)")
    assert.strictEqual(verdict({ ...given, mode: "deny" }, named("task", "Explore")), "allow: unasked task")
  })

  it("asks nothing about tools that are not gated, and everything else by `*`", () => {
    const given = policy({ deny: ["*"] }, { mode: "deny" })
    for (const tool of ["todo_write", "ask", "submit_result"])
      assert.strictEqual(verdict(given, other(tool)), "allow: not gated")
    for (const subject of [bash("ls"), file("read", "/work/app/x"), named("task", "x"), other("later")])
      assert.strictEqual(verdict(given, subject), "deny: rule deny:*")
  })

  it("proposes a rule that allows the call and reads back", () => {
    const subjects: ReadonlyArray<[Subject, string]> = [
      [bash("echo * \\n"), "bash(echo \\* \\\\n)"],
      [bash("ls )"), "bash(ls ))"],
      [bash("make", { env: { B: "it's", A: "1" } }), "bash(A=1 B='it'\\\\''s' make)"],
      [bash("eval $(x) > y"), "bash(eval $(x) > y)"],
      [file("edit", "/work/app/src/a.ts"), "edit(src/a.ts)"],
      [file("write", "/work/app/l", { real: "/etc/x" }), "write(/etc/x)"],
      [file("ls", "/work/app"), "ls(.)"],
      [file("read", "/work/app/a*?\\[b]"), "read(a\\*\\?\\\\[b])"],
      [file("read", "/work/app/~/x"), "read(./~/x)"],
      [file("read", "/work/app/ "), "read(./ )"],
      [named("mcp", "github/x"), "mcp(github/x)"],
      [named("host", "deploy"), "host(deploy)"],
      [other("later"), "later"]
    ]
    for (const [subject, text] of subjects) {
      const rule = Covers.proposed(subject)
      assert.strictEqual(Rule.print(rule), text)
      assert.deepStrictEqual(Covers.allows([rule], subject), rule, text)
      if (subject._tag !== "Other") assert.deepStrictEqual(Rule.parse(text), Either.right(rule))
    }
    assert.deepStrictEqual(noRules, { allow: [], ask: [], deny: [] })
  })
})
