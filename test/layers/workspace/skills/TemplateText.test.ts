import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { fill, longest, wordsOf } from "../../../../src/layers/workspace/skills/TemplateText.ts"

describe("arguments are split as a shell splits them", () => {
  it.each([
    ["", []],
    ["   ", []],
    ["a b  c", ["a", "b", "c"]],
    [`"a b" 'c d' e`, ["a b", "c d", "e"]],
    [`don't break what isn't broken`, ["don't", "break", "what", "isn't", "broken"]],
    [`"open and never closed`, [`"open`, "and", "never", "closed"]],
    [`a\\ b \\"c\\"`, ["a b", `"c"`]],
    [`"say \\"hi\\" now"`, [`say "hi" now`]],
    [`"" ''`, ["", ""]],
    ["C:\\dir\\file", ["C:\\dir\\file"]],
    ["a\nb\tc", ["a", "b", "c"]]
  ])("%s", (args, words) => assert.deepStrictEqual(wordsOf(args), words))
})

describe("placeholders", () => {
  const filled = (template: string, args = `one "two words" three`) => Either.getOrThrow(fill(template, args))

  it.each([
    ["$1|$2|$3|$4", "one|two words|three|"],
    ["$@", "one two words three"],
    ["$ARGUMENTS", "one two words three"],
    ["${1}-${@}-${ARGUMENTS}", "one-one two words three-one two words three"],
    ["${1:-x} ${9:-nothing there} ${9:-}", "one nothing there "],
    ["${@:2}", "two words three"],
    ["${@:2:1}", "two words"],
    ["${@:9}|${@:0:1}", "|one"],
    ["$ARGUMENTSX $name $ $$ ${x} $1", "$ARGUMENTSX $name $ $$ ${x} one"],
    ["costs $10", "costs "]
  ])("%s", (template, text) => assert.strictEqual(filled(template), text))

  it("a default stands for no arguments at all", () => {
    assert.strictEqual(filled("Look at ${@:-everything}.", ""), "Look at everything.")
    assert.strictEqual(filled("Look at ${ARGUMENTS:-everything}.", " "), "Look at everything.")
  })

  it("what arguments say is not filled in again", () => {
    assert.strictEqual(filled("$1 $2", "'$2' '$@'"), "$2 $@")
  })

  it("arguments without a place stand below the text, as they were typed", () => {
    assert.strictEqual(filled("Review.", `  the "new" code `), `Review.\n\nthe "new" code`)
    assert.strictEqual(filled("Review.", ""), "Review.")
  })

  it("a text that would become too long is refused", () => {
    const result = fill("$@".repeat(2000), "x".repeat(1000))
    assert.deepStrictEqual(result, Either.left(`the text would be longer than ${longest / 1024} KiB`))
  })

  it("templates and arguments that are made to take for ever do not", () => {
    const template = "${1:-".repeat(50_000)
    assert.strictEqual(filled(template, ""), template)
    const args = `"${"\\".repeat(100_001)}`
    assert.strictEqual(wordsOf(args).length, 1)
    assert.strictEqual(wordsOf(`"${'\\"'.repeat(50_000)}`).length, 1)
    assert.strictEqual(wordsOf(`"a `.repeat(20_000)).length, 20_000)
  })
})
