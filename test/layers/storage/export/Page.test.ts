import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as Document from "../../../../src/layers/storage/export/Document.ts"
import * as Page from "../../../../src/layers/storage/export/Page.ts"
import { viewer } from "../../../../src/layers/storage/export/ViewerAsset.ts"
import * as Sample from "../../../support/sessions/SampleSessions.ts"

const inside = (html: string, tag: string) => new RegExp(`<${tag}>(.*?)</${tag}>`, "s").exec(html)?.[1] ?? ""
const hash = (text: string) => `sha256-${createHash("sha256").update(text).digest("base64")}`
const embedded = (html: string): unknown =>
  JSON.parse(Buffer.from(/id="session">([A-Za-z0-9+/=]*)</.exec(html)?.[1] ?? "", "base64").toString())

describe("the page", () => {
  it("embeds the session whole, in the form of the protocol", () => {
    for (const document of [Sample.rich(), Sample.hostile(), Sample.document([])]) {
      assert.deepStrictEqual(embedded(Page.render(document, viewer)), JSON.parse(Document.encode(document)))
    }
    const { systemPrompt: _, ...rest } = Sample.rich()
    assert.deepStrictEqual(Object.keys(JSON.parse(Document.encode(rest))).toSorted(), [
      "entries",
      "header",
      "leafId",
      "tools"
    ])
  })

  it("allows exactly its own script and style, and loads nothing", () => {
    const html = Page.render(Sample.hostile(), viewer)
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? ""
    assert.deepStrictEqual(policy.split("; "), [
      "default-src 'none'",
      `script-src '${hash(inside(html, "script"))}'`,
      `style-src '${hash(inside(html, "style"))}'`,
      "img-src data:",
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types dompurify"
    ])
    const markup = html
      .replace(inside(html, "script"), "")
      .replace(inside(html, "style"), "")
      .replace(/<!--.*?-->/gs, "")
    assert.deepStrictEqual(markup.match(/https?:|\b(src|href)="(?!data:,)/g), null)
    assert.notMatch(viewer.style, /url\(|@import/)
  })

  it("no session text is markup, in the title neither", () => {
    const markup = Page.render(Sample.hostile(), viewer).replace(viewer.script, "").replace(viewer.style, "")
    assert.strictEqual(markup.match(/<script/g)?.length, 2)
    assert.include(markup, "<title>&lt;script&gt;window.pwned=1")
    assert.notInclude(markup, "<img")
  })

  it("licences of what is in it go along", () => {
    for (const name of ["marked 18", "highlight.js 11", "DOMPurify 3"]) assert.include(viewer.notices, name)
    assert.notMatch(viewer.notices, /--|[<>]/)
  })

  const title = (...entries: Parameters<typeof Sample.document>[0]) => Document.titleOf(Sample.document(entries))
  it("its title is the newest name, else the first prompt, cut to length", () => {
    const s = Sample.builder()
    assert.strictEqual(title(), "Empty session")
    s.user("  \n ")
    s.user("What\n is  this?")
    assert.strictEqual(title(...s.entries), "What is this?")
    s.add({ type: "session_info", name: "One", ...s.place() })
    s.add({ type: "session_info", name: "x".repeat(200), ...s.place() })
    assert.strictEqual(title(...s.entries), `${"x".repeat(119)}…`)
    s.add({ type: "session_info", name: `${"x".repeat(118)}😀${"x".repeat(9)}`, ...s.place() })
    assert.strictEqual(title(...s.entries), `${"x".repeat(118)}…`)
    const titled = { ...Sample.document([]), header: { ...Sample.header, title: "Of the header" } }
    assert.strictEqual(Document.titleOf(titled), "Of the header")
  })

  it("ten thousand messages take well under two seconds", () => {
    const document = Sample.long(10_000)
    const began = performance.now()
    const { length } = Page.render(document, viewer)
    assert.isBelow(performance.now() - began, 2000)
    assert.isAbove(length, 10_000_000)
  })
})
