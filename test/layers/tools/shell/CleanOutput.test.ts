import { assert, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as CleanOutput from "../../../../src/layers/tools/shell/CleanOutput.ts"

const bytes = (text: string) => Buffer.from(text, "utf8")
const clean = (...chunks: ReadonlyArray<Uint8Array>) => {
  const cleaner = CleanOutput.make()
  const out = Buffer.concat(chunks.map((chunk) => cleaner.push(chunk).slice()))
  return { text: out.toString("utf8"), lineFeeds: cleaner.lineFeeds() }
}

const isControl = (char: string) => (char < " " && !"\t\n\r".includes(char)) || (char >= "\x7f" && char <= "\x9f")
const table: ReadonlyArray<readonly [what: string, raw: string, cleaned: string]> = [
  ["plain text", "a\tb\nç 日本 🎉\n", "a\tb\nç 日本 🎉\n"],
  ["colours", "\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3mtrue\x1b[m", "red true"],
  ["cursor and private modes", "\x1b[2J\x1b[H\x1b[?25la\x1b[?25h\x1b[10;20Hb", "ab"],
  ["titles and links", "\x1b]0;title\x07a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\b", "alinkb"],
  ["device strings", "a\x1bPq#0\x1b\\b\x1b_app\x1b\\c\x1b^p\x1b\\d", "abcd"],
  ["character sets and single escapes", "\x1b(Ba\x1b=b\x1b7c\x1bMd", "abcd"],
  ["NUL, bell, backspace, delete, vertical tab", "a\0b\x07c\bd\x7fe\vf\fg", "abcdefg"],
  ["control characters of the second table", "a\u0085b\u009bc\u00a0d\u00e9", "abc\u00a0d\u00e9"],
  ["CR LF", "a\r\nb\r\r\nc\r\n", "a\nb\nc\n"],
  ["a line that is written anew keeps its CR", "10%\r20%\r\x1b[K100%\n", "10%\r20%\r100%\n"],
  ["a CR at the very end", "a\r", "a"],
  ["a sequence that never ends stops at the line", "\x1b]0;no end\nnext", "\nnext"],
  ["a sequence with a control character in it", "a\x1b[3\nb\x1b[1;2\x1b[0mc", "a\nbc"],
  ["ESC twice and at the end", "a\x1b\x1b[1mb\x1b", "ab"]
]

it.each(table)("%s", (_, raw, cleaned) => {
  const lineFeeds = cleaned.split("\n").length - 1
  assert.deepStrictEqual(clean(bytes(raw)), { text: cleaned, lineFeeds })
  // Cut anywhere, also inside of characters and sequences.
  const all = bytes(raw)
  for (let at = 0; at <= all.length; at++) {
    assert.deepStrictEqual(clean(all.subarray(0, at), all.subarray(at)), { text: cleaned, lineFeeds })
  }
  assert.strictEqual(clean(...Array.from(all, (byte) => Uint8Array.of(byte))).text, cleaned)
})

it("hands a chunk on as it is when nothing is to be taken out", () => {
  const chunk = bytes("nothing special\n".repeat(100))
  assert.strictEqual(CleanOutput.make().push(chunk), chunk)
})

it("a string that goes on for ever is text after 8 KiB", () => {
  const { text } = clean(bytes(`\x1b]0;${"x".repeat(20_000)}`))
  assert.isAbove(text.length, 10_000)
})

it("nor do bytes that are no text", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(0xc2, 0xc3, 0x85, 0x9b, 7, 13, 10, 27, 0x5b, 65)), (all) => {
      assert.deepStrictEqual([...clean(Uint8Array.from(all)).text].filter(isControl), [])
    })
  )
})

const piece = fc.oneof(
  fc.constantFrom(...table.map(([, raw]) => raw), "\x1b", "\r", "\n", "[", "\xc2", "é"),
  fc.string({ unit: "grapheme" })
)
it("however the bytes are cut, the same comes out, and no control character", () => {
  fc.assert(
    fc.property(fc.array(piece), fc.array(fc.nat(64)), (pieces, cuts) => {
      const all = bytes(pieces.join(""))
      const chunks: Array<Uint8Array> = []
      let at = 0
      for (const cut of cuts) chunks.push(all.subarray(at, (at += cut)))
      const whole = clean(all)
      assert.deepStrictEqual(clean(...chunks, all.subarray(at)), whole)
      assert.deepStrictEqual([...whole.text].filter(isControl), [])
      assert.notMatch(whole.text, /\r\n|\r$/)
    })
  )
})
