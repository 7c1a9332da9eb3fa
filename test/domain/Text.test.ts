import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as Text from "../../src/domain/Text.ts"

const texts = FastCheck.array(
  FastCheck.oneof(
    FastCheck.fullUnicodeString(),
    FastCheck.constantFrom(
      "\u001b[",
      "\u001b]0;",
      "\u001b\\",
      "\u009b",
      "\u009d",
      "\u009c",
      "\u0007",
      "\r",
      "\u202e",
      "31m"
    )
  )
).map((parts) => parts.join(""))

describe("text for a terminal", () => {
  it("loses control characters, whole sequences and marks of direction", () => {
    assert.strictEqual(
      Text.printable("a\u001b[31mb\u001b]0;t\u0007c\u0000\u0008\u0085d\u202ee\u200f\u2067\tf\ng"),
      "abcde\tf\ng"
    )
    for (const sequence of [
      "\u001b]0;title\u0007",
      "\u001b]8;;http://x\u001b\\",
      "\u009d0;title\u009c",
      "\u009b2J",
      "\u001b[?1049h",
      "\u001bP+q544e\u001b\\",
      "\u0090$q\u009c",
      "\u001b_Gf=100;AAAA\u001b\\",
      "\u001bc",
      "\u001b(0"
    ]) {
      assert.strictEqual(Text.printable(`a${sequence}b`), "ab", JSON.stringify(sequence))
    }
  })

  it("keeps text behind a sequence without an end, and text that a carriage return would write over", () => {
    assert.strictEqual(Text.printable("\u001b]0;a title\nand all of this"), "0;a title\nand all of this")
    assert.strictEqual(Text.printable("rm -rf / #\rls\r\n"), "rm -rf / #\nls\n")
    assert.strictEqual(Text.printable("سلام 👩‍🚀 é"), "سلام 👩‍🚀 é")
  })

  it("holds for every text, also a second time", () => {
    FastCheck.assert(
      FastCheck.property(texts, (text) => {
        const plain = Text.printable(text)
        assert.notMatch(plain, /(?![\n\t])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u)
        assert.notMatch(Text.oneLine(text), /[\n\t]/)
        assert.notMatch(
          Text.styled(text).replaceAll(new RegExp(String.raw`\u001b\[[\d;:]*m`, "g"), ""),
          /(?!\t)\p{Cc}/u
        )
        assert.strictEqual(Text.printable(plain), plain)
      })
    )
  })

  it("takes as long as the text is", () => {
    const hostile = ["\u001b]0;", "\u009d", "\u001b[0", "\u001b["].map((part) => part.repeat(200_000)).join("")
    assert.notMatch(Text.printable(hostile), /\p{Cc}/u)
  })

  it("a row keeps its styles, and nothing else", () => {
    assert.strictEqual(
      Text.styled("\u001b[1;31mred\u001b[0m\u001b[2J\u001b]0;t\u0007\nend"),
      "\u001b[1;31mred\u001b[0m end"
    )
  })

  it("a name shows where characters cannot be seen", () => {
    assert.strictEqual(Text.name("a\u001b]0;t\u0007\u200bb\u202e", 100), "a?]0;t??b?")
    assert.strictEqual(Text.name("abcdef", 3), "abc…")
  })
})

describe("texts that are cut", () => {
  it("keep a pair of surrogates whole", () => {
    assert.deepStrictEqual(
      [0, 1, 2, 3, 4].map((most) => Text.first("a😀b", most)),
      ["", "a", "a", "a😀", "a😀b"]
    )
  })

  it("end in a mark where something was cut", () => {
    assert.deepStrictEqual(
      ["abc", "abcd"].map((text) => Text.clip(text, 3)),
      ["abc", "abc…"]
    )
    assert.deepStrictEqual(
      ["abc", "abcd"].map((text) => Text.fit(text, 3)),
      ["abc", "ab…"]
    )
  })
})

it("nothing in a value ends its attribute, its tag or its line", () => {
  assert.strictEqual(Text.attribute(`a"b<c>&d'\n\t\u2028\u0085é`), "a&quot;b&lt;c&gt;&amp;d'&#10;&#9;&#8232;&#133;é")
  assert.strictEqual(Text.markup('<a href="x">\n'), "&lt;a href=&quot;x&quot;&gt;\n")
})

it("counts the letters that differ, up to a bound", () => {
  const distance = (a: string, b: string) => Text.distance(a, b, 2)
  assert.deepStrictEqual(
    [
      distance("model", "model"),
      distance("model", "mdoel"),
      distance("model", "modes"),
      distance("model", "mode"),
      distance("model", "xmodelx"),
      distance("model", "other"),
      distance("model", "m")
    ],
    [0, 1, 1, 1, 2, undefined, undefined]
  )
})
