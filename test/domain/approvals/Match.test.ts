import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as Match from "../../../src/domain/approvals/Match.ts"

const folders = { cwd: "/work/app", home: "/home/ada" }

const texts: ReadonlyArray<[pattern: string, text: string, holds: boolean]> = [
  ["git status", "git status", true],
  ["git status", "git status -s", false],
  ["git status*", "git status", true],
  ["git status*", "git status -s", true],
  ["git status*", "git statusx", true],
  ["rm *", "rm", true],
  ["rm *", "rm x", true],
  ["rm *", "rmdir", false],
  ["rm *", "rm ", true],
  ["* *", "rm", true],
  ["npm * test *", "npm run test", true],
  ["npm * test *", "npm run test x", true],
  ["npm * test *", "npm test", false],
  ["*", "", true],
  ["*", "a\nb", true],
  ["a**b", "ab", true],
  ["*ab", "aab", true],
  ["a*a", "a", false],
  ["ab*ba", "aba", false],
  ["*x*y*", "axbyc", true],
  ["*x*y*", "aybxc", false],
  ["echo \\*", "echo *", true],
  ["echo \\*", "echo x", false],
  ["a \\*", "a", false],
  ["\\\\*", "\\x", true],
  ["a\\b", "a\\b", true],
  ["[a-z]?", "[a-z]?", true],
  ["[a-z]?", "ab", false],
  ["ls (a)", "ls (a)", true]
]

const paths: ReadonlyArray<[pattern: string, path: string, holds: boolean]> = [
  ["src/**", "/work/app/src/a/b.ts", true],
  ["src/**", "/work/app/src", true],
  ["src/**", "/work/app/srcs/a", false],
  ["src/**", "/work/src/a", false],
  ["src/*", "/work/app/src/a", true],
  ["src/*", "/work/app/src/a/b", false],
  ["src/*.ts", "/work/app/src/.ts", true],
  ["./src/*.ts", "/work/app/src/a.ts", true],
  ["**/*.ts", "/work/app/a.ts", true],
  ["**/*.ts", "/work/app/x/y/a.ts", true],
  ["**/*.ts", "/other/a.ts", false],
  ["/**/*.ts", "/other/a.ts", true],
  ["src/**/test/*.ts", "/work/app/src/test/a.ts", true],
  ["src/**/test/*.ts", "/work/app/src/x/y/test/a.ts", true],
  ["?.ts", "/work/app/a.ts", true],
  ["?.ts", "/work/app/ab.ts", false],
  ["a?b", "/work/app/a/b", false],
  ["~/.ssh/**", "/home/ada/.ssh/id", true],
  ["~/.ssh/**", "/home/ada/.ssh", true],
  ["~", "/home/ada", true],
  ["~x", "/work/app/~x", true],
  ["./~/x", "/work/app/~/x", true],
  ["/etc/passwd", "/etc/passwd", true],
  ["../x/**", "/work/x/y", true],
  [".", "/work/app", true],
  ["src/[id]/page.ts", "/work/app/src/[id]/page.ts", true],
  ["src/\\*", "/work/app/src/*", true],
  ["src/\\*", "/work/app/src/a", false],
  ["src/\\?", "/work/app/src/?", true],
  ["a**b", "/work/app/axb", true],
  ["a**b", "/work/app/ax/b", false],
  ["**", "/work/app", true],
  ["/", "/", true],
  ["src/", "/work/app/src", true]
]

/** The same meaning as a regular expression, which may backtrack. */
const asRegExp = (pattern: string) =>
  new RegExp(`^${pattern.replaceAll(/[\\^$.+?()[\]{}|]/g, "\\$&").replaceAll("*", ".*")}$`, "s")

describe("Match", () => {
  it.each(texts)("text %j of %j: %s", (pattern, text, holds) => {
    assert.strictEqual(Match.text(pattern)(text), holds)
  })

  it.each(paths)("path %j of %j: %s", (pattern, path, holds) => {
    assert.strictEqual(Match.path(pattern, folders)(path), holds)
  })

  it("keeps folders with stars in their name apart from patterns", () => {
    const odd = { cwd: "/work/*", home: "/home/?" }
    assert.isTrue(Match.path("a", odd)("/work/*/a"))
    assert.isFalse(Match.path("a", odd)("/work/app/a"))
    assert.isFalse(Match.path("~/a", odd)("/home/x/a"))
  })

  it("takes stars as a regular expression does", () => {
    const letters = (alphabet: ReadonlyArray<string>, maxLength: number) =>
      FastCheck.array(FastCheck.constantFrom(...alphabet), { maxLength }).map((parts) => parts.join(""))
    FastCheck.assert(
      FastCheck.property(letters(["a", "b", "*", "."], 8), letters(["a", "b", "."], 12), (pattern, text) => {
        assert.strictEqual(Match.text(pattern)(text), asRegExp(pattern).test(text))
      }),
      { numRuns: 3000 }
    )
  })

  it("makes patterns of texts and paths that stand for nothing else", () => {
    const text = FastCheck.string({ unit: FastCheck.constantFrom("a", "*", "\\", "?", " "), maxLength: 8 })
    FastCheck.assert(
      FastCheck.property(text, text, (one, another) => {
        assert.strictEqual(Match.text(Match.escape(one))(another), one === another)
        assert.strictEqual(Match.literal(Match.escape(one)), one)
        const path = (name: string) => `/work/x${name}`
        assert.strictEqual(Match.path(Match.escapePath(path(one)), folders)(path(another)), one === another)
      }),
      { numRuns: 2000 }
    )
  })

  it("ends on patterns that would backtrack", () => {
    const long = "a".repeat(60_000)
    assert.isFalse(Match.text(`${"a*".repeat(200)}b`)(long))
    assert.isFalse(Match.text(`${"*a".repeat(2000)}*b*`)(long))
    assert.isFalse(Match.path(`/${"*a".repeat(20)}b`, folders)(`/${long.slice(0, 4000)}`))
    assert.isFalse(Match.path(`/${"**/a/".repeat(40)}b`, folders)(`/${"a/".repeat(2000)}`))
  })
})
