import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import { RE2Set } from "re2js"
import * as RuleEngine from "../../../../../src/layers/session/modules/rules/RuleEngine.ts"

const patternsOf = (patterns: ReadonlyArray<string>) =>
  patterns.map((pattern) => Either.getOrThrow(RuleEngine.read(pattern)))

/** The patterns that are found at a look behind each piece, which takes a time that the caller chooses. */
const scan = (patterns: ReadonlyArray<string>, pieces: ReadonlyArray<string>, millis = 0) => {
  let found: Array<number> = []
  let [spent, time] = [0, 0]
  const scanner = RuleEngine.make(patternsOf(patterns), () => (time += millis)).scanner(
    (pattern) => found.push(pattern),
    () => spent++
  )
  const after = pieces.map((piece) => {
    found = []
    scanner.push(piece)
    scanner.look()
    return found.toSorted((a, b) => a - b)
  })
  return { after, spent }
}

describe("patterns in a text that arrives", () => {
  it("are found with the piece that completes them, once", () => {
    assert.deepStrictEqual(scan(["foo", "o b", "^f", "r$", "\\bbar\\b"], ["fo", "o", " bar", "foo", "x"]), {
      after: [[2], [0], [1, 3, 4], [], []],
      spent: 0
    })
    assert.deepStrictEqual(scan([".*"], ["", "a", "b"]).after, [[], [0], []])
    assert.deepStrictEqual(scan(["^b"], ["a\n", "b"]).after, [[], []])
    assert.deepStrictEqual(scan(["(?m)^b", "(?i)B"], ["a\n", "b"]).after, [[], [0, 1]])
  })

  it("a character that is cut in two counts as one", () => {
    const [high = "", low = ""] = ["😀".slice(0, 1), "😀".slice(1)]
    assert.deepStrictEqual(scan(["^.x$", "😀"], [high, `${low}`, "x"]).after, [[], [1], [0]])
  })

  it("takes the syntax of JavaScript", () => {
    assert.deepStrictEqual(scan(["(?<name>a)\\/b", "\\u0041", "[^\\d\\s]{2}"], ["a/b", "A"]).after, [[0, 2], [1]])
  })

  it("finds what re2js and JavaScript find, however the text is cut", () => {
    const patterns = ["ab", "a+b", "^a", "b$", "\\bab\\b", "(a|b){3}c", "[^a]c", "c.*a", "\\w\\W\\w", "(?i)C "]
    const set = new RE2Set()
    for (const pattern of patterns) set.add(pattern)
    const text = FastCheck.array(FastCheck.constantFrom("a", "b", "c", " ", "\n", "é"), { maxLength: 12 })
    FastCheck.assert(
      FastCheck.property(FastCheck.array(text, { maxLength: 5 }), (cut) => {
        const pieces = cut.map((characters) => characters.join("")).filter((piece) => piece !== "")
        const seen = new Set<number>()
        let whole = ""
        for (const [at, found] of scan(patterns, pieces).after.entries()) {
          whole += pieces[at]
          const before = new Set(seen)
          for (const pattern of set.match(whole)) seen.add(pattern)
          assert.deepStrictEqual(
            found,
            [...seen].filter((pattern) => !before.has(pattern)).toSorted((a, b) => a - b)
          )
        }
        const last = set.match(whole)
        const inScript = patterns.flatMap((pattern, at) =>
          (pattern.startsWith("(?i)") ? new RegExp(pattern.slice(4), "i") : new RegExp(pattern)).test(whole) ? [at] : []
        )
        if (whole !== "") assert.deepStrictEqual(last, inScript)
      }),
      { numRuns: 300 }
    )
  })

  it("patterns that need backtracking or are too large are refused with the reason", () => {
    const advice = "(look-around, back references, possessive repeats and counts above 1000 are not supported)"
    const reason = (pattern: string) => Either.getOrThrow(Either.flip(RuleEngine.read(pattern)))
    assert.deepStrictEqual(["(?=a)b", "(?<!a)b", "(a)\\1", "a++", "a{1,5000}"].map(reason), [
      `invalid or unsupported Perl syntax: \`(?=\` ${advice}`,
      `invalid named capture: \`(?<!a)b\` ${advice}`,
      `invalid escape sequence: \`\\1\` ${advice}`,
      `invalid nested repetition operator: \`++\` ${advice}`,
      `invalid repeat count: \`{1,5000}\` ${advice}`
    ])
    assert.strictEqual(reason("[a"), "missing closing ]: `[a`")
    assert.strictEqual(reason("x".repeat(2001)), "is longer than 2000 characters")
    assert.strictEqual(reason(`(${"abcdefghij".repeat(6)}){1000}`), "is too large: repeat less, or a shorter part")
  })

  it("many patterns are matched by several sets", () => {
    const patterns = Array.from({ length: 60 }, (_, at) => `k${at}-x{${400 + at}}y`)
    assert.isAbove(
      patternsOf(patterns).reduce((sum, { size }) => sum + size, 0),
      20_000
    )
    assert.deepStrictEqual(scan(patterns, ["k7-", `${"x".repeat(407)}y`]).after, [[], [7]])
  })

  it("are found in what has arrived since the last look and the 4 KiB before it", () => {
    const far = (characters: number) => scan(["a[\\s\\S]*z"], ["a", "\n".repeat(characters), "z"]).after
    assert.deepStrictEqual(far(4095), [[], [], [0]])
    assert.deepStrictEqual(far(4096), [[], [], []])
    let found = 0
    const set = RuleEngine.make(patternsOf(["a[\\s\\S]*z"]), () => 0)
    const scanner = set.scanner(
      () => found++,
      () => assert.fail("spent")
    )
    for (const piece of ["a", "\n".repeat(200_000), "z"]) scanner.push(piece)
    assert.strictEqual(found, 0)
    scanner.look()
    assert.strictEqual(found, 1)
  })

  it("the start of a text is where it began, not where what is looked at again begins", () => {
    const long = ["b", "x".repeat(5000), "x", "x\nx"]
    assert.deepStrictEqual(scan(["^x", "(?m)^x", "^b"], long).after, [[2], [], [], [1]])
  })

  it("a text whose looks are slow three times is not looked at any more", () => {
    const slow = scan(["a", "never"], ["a", "b", "c", "never"], 41)
    assert.deepStrictEqual(slow, { after: [[0], [], [], []], spent: 1 })
    assert.deepStrictEqual(scan(["a", "never"], ["a", "b", "c", "never"], 40).after, [[0], [], [], [1]])
  })

  it("nested repeats cost no more than others", () => {
    assert.deepStrictEqual(scan(["(a+)+$", "(a|aa)*b"], ["a".repeat(100_000), "b"]).after, [[0], [1]])
  })
})
