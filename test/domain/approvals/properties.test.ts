/** What must hold for any rules and any line. */
import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as Covers from "../../../src/domain/approvals/Covers.ts"
import { judge, type Policy } from "../../../src/domain/approvals/Policy.ts"
import * as Risk from "../../../src/domain/approvals/risk/Risk.ts"
import { bash } from "./subjects.ts"

const programs = ["ls", "rm", "git status", "git push", "make", "cat"] as const
const words = ["", " x", " -rf y", " 'a b'", " $HOME", " *"] as const

const simple = FastCheck.tuple(FastCheck.constantFrom(...programs), FastCheck.constantFrom(...words)).map((parts) =>
  parts.join("")
)

/** Ways to hide one command beside others in a line. */
const joins: ReadonlyArray<(line: string, next: string) => string> = [
  (line, next) => `${line} && ${next}`,
  (line, next) => `${next} | { ${line}\n}`,
  (line, next) => `${line}; ${next}`,
  (line, next) => `${line}\n${next}`,
  (line, next) => `(${line}); { ${next}; }`,
  (line, next) => `if ${next}; then ${line}; fi`,
  (line, next) => `for f in a; do ${line}; ${next}; done`,
  (line, next) => `echo $(${next}); ${line}`,
  (line, next) => `cat <(${line}); ${next}`,
  (line, next) => `echo "\`${next}\`" && ${line}`,
  (line, next) => `f() { ${line}; ${next}; }`,
  (line, next) => `${line}; A=1 ${next} > x`,
  (line, next) => `${line}; sudo -u ada ${next}`,
  (line, next) => `bash -c "${next}"; ${line}`,
  (line, next) => `{ cat <<EOF\n$(${next})\nEOF\n}; ${line}`
]
const built = FastCheck.tuple(
  simple,
  FastCheck.array(FastCheck.tuple(FastCheck.constantFrom(...joins), simple), { maxLength: 3 })
).map(([first, others]) => ({
  line: others.reduce((line, [join, next]) => join(line, next), first),
  parts: [first, ...others.map(([, next]) => next)]
}))
const lines = built.map(({ line }) => line)

const patterns = FastCheck.oneof(
  FastCheck.constantFrom("*", "ls*", "rm *", "git *", "git status*", "make", "c*t *", "* x", "* * *"),
  lines.map((line) => line.replaceAll(/[*\\]/g, "\\$&"))
)
const rules = FastCheck.array(
  FastCheck.oneof(
    patterns.map((pattern) => ({ tool: "bash", pattern })),
    FastCheck.constantFrom({ tool: "bash" }, { tool: "*" }, { tool: "write", pattern: "**" })
  ),
  { maxLength: 3 }
)
const policies: FastCheck.Arbitrary<Policy> = FastCheck.record({
  mode: FastCheck.constantFrom(...(["off", "ask", "deny"] as const)),
  unasked: FastCheck.constantFrom(...(["reads", "harmless", "sandboxed"] as const)),
  timeoutMs: FastCheck.constant(1000),
  allow: rules,
  ask: rules,
  deny: rules
})

describe("Any rules", () => {
  it("never allow a line if a rule denies any part of it", () => {
    let denied = 0
    FastCheck.assert(
      FastCheck.property(policies, built, FastCheck.boolean(), (policy, { line, parts }, isHeld) => {
        const { verdict } = judge(policy, bash(line, { isSandboxed: isHeld, isRemembered: isHeld }))
        if (!policy.deny.some((rule) => parts.some((part) => Covers.restricts(rule, bash(part))))) return
        denied++
        assert.strictEqual(verdict, "deny")
      }),
      { numRuns: 3000 }
    )
    assert.isAbove(denied, 300)
  })

  it("allow a line only if they allow each of its commands alone, or name it as a whole", () => {
    FastCheck.assert(
      FastCheck.property(rules, lines, (allow, line) => {
        const subject = bash(line)
        const rule = Covers.allows(allow, subject)
        if (rule === undefined || rule.pattern === line.replaceAll(/[*\\]/g, "\\$&")) return
        assert.deepStrictEqual(subject.line.unknown, [])
        for (const { text } of subject.line.commands) {
          const alone = {
            ...subject,
            line: { ...subject.line, line: text, commands: subject.line.commands.filter((c) => c.text === text) }
          }
          assert.isDefined(Covers.allows(allow, alone))
        }
      }),
      { numRuns: 3000 }
    )
  })

  it("propose for every line a rule that allows it", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.oneof(lines, FastCheck.string({ unit: "binary", minLength: 1 })), (line) => {
        const subject = bash(line)
        assert.isDefined(Covers.allows([Covers.proposed(subject)], subject))
      })
    )
  })

  it("do not tire: more rules that deny or ask never allow more", () => {
    const order = { deny: 0, ask: 1, allow: 2 }
    FastCheck.assert(
      FastCheck.property(policies, rules, rules, lines, (policy, ask, deny, line) => {
        const subject = bash(line)
        const stricter = { ...policy, ask: [...policy.ask, ...ask], deny: [...policy.deny, ...deny] }
        assert.isAtMost(order[judge(stricter, subject).verdict], order[judge(policy, subject).verdict])
      }),
      { numRuns: 2000 }
    )
  })
})

/** Pieces from which lines are made that a parser may stumble over. */
const pieces = FastCheck.constantFrom(
  ..."$( ) ` ${ } (( )) [[ ]] { ; & | && || < > << <<- <<< <( >( ' \" \\ \n \t # ! = += * ? [ ] @( if then else fi for in do done while case esac ;; function () select coproc time eval bash -c env xargs find -exec \\; a x=1 EOF $'\\x72' \u00a0 \u2028 é \ud800 \u0001 \r ~ {a,b}".split(
    " "
  ),
  " ",
  "\n"
)
const hostile = FastCheck.oneof(
  FastCheck.array(pieces, { maxLength: 60 }).map((parts) => parts.join("")),
  FastCheck.array(pieces, { maxLength: 60 }).map((parts) => parts.join(" ")),
  FastCheck.string({ unit: "binary", maxLength: 200 }),
  FastCheck.tuple(pieces, pieces, FastCheck.integer({ min: 1, max: 3000 })).map(([a, b, n]) => `${a}${b}`.repeat(n))
)

describe("Any line", () => {
  it("is read and judged without an exception", () => {
    FastCheck.assert(
      FastCheck.property(hostile, policies, (line, policy) => {
        const subject = bash(line)
        assert.isString(judge(policy, subject).reason)
        assert.isString(Risk.of(subject).level)
        if (subject.line.commands.length === 0) assert.isNotEmpty(subject.line.unknown)
      }),
      { numRuns: 1500 }
    )
  }, 60_000)

  const deep: ReadonlyArray<string> = [
    "$(",
    "echo $(echo ",
    "(",
    "{ ",
    "`",
    '"$(',
    "$((",
    "${a:-",
    "cat <<E\n",
    "{a,",
    "@(",
    "if ",
    "case x in x) ",
    "a|",
    "a;",
    "<(",
    "a=(",
    "[[ ( ",
    "`\\`",
    "env ",
    "env -X env ",
    "xargs -a ",
    "find -exec ",
    "eval ",
    "bash -c '",
    "-PPPPPPP",
    "sed e1e1",
    "9999999 e",
    "man -PP",
    "x.y.z ",
    "function f { ",
    "! ",
    "time ",
    "coproc ",
    "\\\n",
    "/.git/config",
    "((((",
    "a[",
    "$'\\",
    "<<E "
  ]

  it.each(deep)(
    "of 64 KB of %j ends, read or not",
    (piece) => {
      const line = piece.repeat(Math.floor((64 * 1024) / piece.length))
      const subject = bash(line)
      assert.notStrictEqual(Risk.of(subject).level, "critical")
      assert.strictEqual(
        judge({ mode: "deny", unasked: "reads", timeoutMs: 1, allow: [], ask: [], deny: [] }, subject).verdict,
        "deny"
      )
    },
    10_000
  )

  it("that nests commands of wrappers and lines in lines is not followed for ever", () => {
    let line = "rm x"
    for (let depth = 0; depth < 12; depth++) line = `bash -c '${line.replaceAll("'", `'\\''`)}'`.slice(0, 60_000)
    assert.isString(bash(line).line.line)
    const wide = `env ${"-X a ".repeat(10_000)}rm x`
    assert.include(
      bash(wide).line.unknown.map(({ kind }) => kind),
      "nesting"
    )
  })
})
