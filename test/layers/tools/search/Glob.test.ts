import { assert, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as GitIgnore from "../../../../src/layers/tools/search/GitIgnore.ts"
import * as Glob from "../../../../src/layers/tools/search/Glob.ts"

it("which paths a glob means", () => {
  const cases: ReadonlyArray<readonly [glob: string, yes: ReadonlyArray<string>, no: ReadonlyArray<string>]> = [
    ["*.ts", ["a.ts", "src/b.ts", ".ts", "a b.ts"], ["a.tsx", "ts", "a.ts/b"]],
    ["src/*.ts", ["src/a.ts"], ["src/b/a.ts", "x/src/a.ts", "a.ts"]],
    ["src/**/*.ts", ["src/a.ts", "src/b/c/a.ts"], ["a.ts", "srcs/a.ts"]],
    ["**/a", ["a", "b/a", "b/c/a"], ["ba", "a/b"]],
    ["a/**", ["a/b", "a/b/c"], ["a", "ab"]],
    ["/a", ["a"], ["b/a"]],
    ["./a/b", ["a/b"], ["c/a/b"]],
    ["a**b", ["ab", "axxb"], ["a/b"]],
    ["?.md", ["a.md", "é.md", "🧵.md", "x/a.md"], [".md", "ab.md"]],
    ["[a-c]x[!0-9]", ["ax_", "cxx"], ["dxx", "ax1", "ax/"]],
    ["[]]", ["]"], ["[", "a"]],
    ["[a", ["[a"], ["a"]],
    ["[z-a]", [], ["z", "a", "-"]],
    ["[z-ax]", ["x"], ["z", "a"]],
    ["[a-,b]&[~^-]", ["b&~", "b&^", "b&-"], ["a&~", ",&~"]],
    ["[\\]\\-]", ["]", "-"], ["\\"]],
    ["[🧵é]", ["🧵", "é"], ["e"]],
    ["*.{js,ts}", ["a.js", "b/a.ts"], ["a.tsx", "a.{js,ts}"]],
    ["{src,test}/*.{a,{b,c}}", ["src/x.a", "test/x.c"], ["lib/x.a", "src/x.d"]],
    ["{a", ["{a"], ["a"]],
    ["a\\*b", ["a*b"], ["axb"]],
    ["a.b+c(d)|e^$", ["a.b+c(d)|e^$"], ["aXb"]],
    ["!*.ts", ["a.js", "src/a"], ["a.ts", "src/a.ts"]],
    ["!src/**", ["a.js"], ["src/a"]]
  ]
  for (const [glob, yes, no] of cases) {
    const matches = Glob.matcher(glob)
    for (const path of yes) assert.isTrue(matches(path), `${glob} should match ${path}`)
    for (const path of no) assert.isFalse(matches(path), `${glob} should not match ${path}`)
  }
})

it("property: any text is a glob, and a path with its signs escaped is matched by itself", () => {
  const sign = fc.constantFrom("a", "b", "*", "?", "[", "]", "{", "}", ",", "\\", "/", "!", "-", "^", ".", "é")
  fc.assert(
    fc.property(fc.array(sign, { minLength: 1 }), (signs) => {
      const text = signs.join("")
      assert.isBoolean(Glob.matcher(text)("a/b"))
      const path = text.replaceAll(/\/+/g, "_")
      assert.isTrue(Glob.toRegExp(path.replaceAll(/[^a-z]/gu, "\\$&"), { braces: true }).test(path), path)
    }),
    { numRuns: 2000 }
  )
})

/** As the tools have them: names with one slash between them. */
const asPath = (text: string) => text.replaceAll(/\/+/g, "/").replaceAll(/^\/|\/$/g, "")

it("property: the matcher of the engine reads a glob as the regular expression does", () => {
  const signs = [
    "a",
    "b",
    "*",
    "**",
    "***",
    "/",
    "?",
    "[ab]",
    "[!a]",
    "[^b.]",
    "[!a-c]",
    "[]a]",
    "{a,b}",
    "{a,*}",
    "{",
    "}",
    ","
  ]
  const globs = fc.array(fc.constantFrom(...signs, "**/", "/**", "\\*", "\\{", "[", "]", ".", "é", "-"), {
    maxLength: 6
  })
  const paths = fc.array(fc.constantFrom("a", "b", "c", "/", ".", "é", "🧵", "{", "}", ",", "[", "*"), { maxLength: 6 })
  fc.assert(
    fc.property(globs, fc.array(paths, { minLength: 10 }), fc.boolean(), (glob, many, braces) => {
      const [text, texts] = [
        asPath(glob.join("")),
        many.map((path) => asPath(path.join(""))).filter((path) => path !== "")
      ]
      const [matches, pattern] = [Glob.compile(text, { braces }), Glob.toRegExp(text, { braces })]
      for (const path of texts) assert.strictEqual(matches(path), pattern.test(path), `${text} and ${path}`)
    }),
    { numRuns: 3000 }
  )
})

it("many stars take no longer than few, also those of a .gitignore", () => {
  const path = "a".repeat(200)
  const stars = `${"*a".repeat(12)}*b`
  const began = performance.now()
  assert.isFalse(Glob.matcher(stars)(path))
  assert.isTrue(Glob.matcher(stars)(`${path}b`))
  assert.isFalse(GitIgnore.ignores([GitIgnore.parse("/w", `${stars}\n`)], `/w/${path}`, false))
  assert.isBelow(performance.now() - began, 500)
})
