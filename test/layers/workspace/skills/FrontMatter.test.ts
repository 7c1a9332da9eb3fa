import { assert, describe, it } from "@effect/vitest"
import * as FrontMatter from "../../../../src/layers/workspace/skills/FrontMatter.ts"

const { line, parse } = FrontMatter

const file = (yaml: string, body = "Body.") => `---\n${yaml}\n---\n${body}`

describe("files with front matter", () => {
  it("YAML of any form, and the text behind it without blank lines at its ends", () => {
    assert.deepStrictEqual(parse(file("name: a\nlist: [x, y]\nnested:\n  deep: true", "\n\n# Title\n\nText\n\n")), {
      data: { name: "a", list: ["x", "y"], nested: { deep: true } },
      body: "# Title\n\nText"
    })
    assert.deepStrictEqual(parse(file("description: >\n  two\n  lines\nname: n")), {
      data: { description: "two lines\n", name: "n" },
      body: "Body."
    })
  })

  it("a byte order mark, CRLF and spaces behind the dashes do not matter", () => {
    assert.deepStrictEqual(parse("\uFEFF---  \r\nname: a\r\n--- \r\none\r\ntwo\r\n"), {
      data: { name: "a" },
      body: "one\ntwo"
    })
  })

  it("empty front matter", () => {
    assert.deepStrictEqual(parse("---\n---\nBody."), { data: {}, body: "Body." })
    assert.deepStrictEqual(parse("---\n\n---"), { data: {}, body: "" })
  })

  it("dashes further down are part of the text", () => {
    assert.deepStrictEqual(parse(file("name: a", "one\n---\ntwo")), { data: { name: "a" }, body: "one\n---\ntwo" })
  })
})

describe("files without front matter", () => {
  it.each(["Text", "", "----\na: 1\n----\n", " ---\na: 1\n---\n", "text\n---\na: 1\n---\n"])("%j", (text) =>
    assert.deepStrictEqual(parse(text), { data: {}, body: text.trim() })
  )

  it("a block that is never closed is a rule in the text", () => {
    assert.deepStrictEqual(parse("---\nname: a\ntext"), { data: {}, body: "---\nname: a\ntext" })
  })
})

describe("front matter with errors", () => {
  it("what is not YAML is read line by line, and says so", () => {
    const { data, problem, ...rest } = parse(
      file('name: "a"\ndescription: Use this: when asked\nflag: true\nempty:\nlist: [x, y\n  deep: 1\n\tx: 2')
    )
    assert.deepStrictEqual(data, { name: "a", description: "Use this: when asked", flag: true })
    assert.match(problem ?? "", /^front matter is not YAML \(.+\)$/)
    assert.deepStrictEqual(rest, { body: "Body." })
  })

  it.each([
    ["- a\n- b", "front matter is not a list of `key: value`"],
    ["just words", "front matter is not a list of `key: value`"],
    [`a: ${"x".repeat(40_000)}`, "front matter is longer than 32 KiB"]
  ])("%.20s", (yaml, problem) => assert.deepStrictEqual(parse(file(yaml)), { data: {}, body: "Body.", problem }))

  it("YAML that is made to take for ever does not", () => {
    const levels = "bcdefghijkl"
      .split("")
      .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${"abcdefghijkl"[at]}`).join(",")}]`)
    const hostile = [
      ["a: &a [x,x,x,x,x,x,x,x,x]", ...levels].join("\n"),
      `a: ${"[".repeat(15_000)}${"]".repeat(15_000)}`,
      "a: &a [*a]"
    ]
    for (const yaml of hostile) {
      const { body, problem } = parse(file(yaml))
      assert.strictEqual(body, "Body.")
      assert.isString(problem, yaml.slice(0, 20))
    }
  })

  it("a member called __proto__ changes no object", () => {
    const { data } = parse(file("__proto__:\n  polluted: 1\nname: a"))
    assert.strictEqual(line(data, "polluted"), undefined)
    assert.notProperty({}, "polluted")
  })
})

it("a member as one line of text", () => {
  const data = { text: " a\n  b\t c ", number: 7, list: ["a"], empty: " \n", flag: true }
  const lines = ["text", "number", "list", "empty", "flag", "absent"].map((key) => line(data, key))
  assert.deepStrictEqual(lines, ["a b c", "7", undefined, undefined, undefined, undefined])
})
