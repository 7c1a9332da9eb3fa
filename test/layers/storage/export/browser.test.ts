/** The page in a real browser, from file://, as people open it. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import type { SessionEntry } from "../../../../src/domain/session/SessionEntry.ts"
import * as Page from "../../../../src/layers/storage/export/Page.ts"
import { viewer } from "../../../../src/layers/storage/export/ViewerAsset.ts"
import * as Sample from "../../../support/sessions/SampleSessions.ts"
import { describeInBrowser, drawn, frames, nothing, openFold, quiet, shots, shown, test, until } from "./inBrowser.ts"
import { renderings } from "./renderings.ts"

const nowhere = { id: "", parentId: null, timestamp: "" }

/** The contrast of a text to what is behind it, by WCAG. */
const contrast = `(selector) => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })
  const rgb = (...colours) => {
    canvas.clearRect(0, 0, 1, 1)
    for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1) }
    return [...canvas.getImageData(0, 0, 1, 1).data]
  }
  const luminance = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const element = document.querySelector(selector)
  const behind = []
  for (let at = element; at; at = at.parentElement) behind.unshift(getComputedStyle(at).backgroundColor)
  const [one, other] = [luminance(rgb(...behind, getComputedStyle(element).color)), luminance(rgb(...behind))].sort((a, b) => b - a)
  return (one + 0.05) / (other + 0.05)
}`
const texts = [
  ".prose",
  ".who",
  ".item-time",
  ".tool-preview",
  ".tool-outcome",
  ".outline-row",
  ".tile dt",
  ".tile-detail"
]
const more = [
  ".fold-hint",
  ".badge.bad",
  ".plus",
  ".minus",
  ".callout.bad",
  ".facts dt",
  ".item.note",
  ".key",
  ".diff-number"
]

const tests = [
  test("what counts as trouble is noticed", async (_, openHtml) => {
    const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'">`
    for (const [name, html, expected] of [
      ["dialog", "<script>alert(1)</script>", /^dialog: 1/],
      ["exception", "<script>nothing.there</script>", /^exception/],
      ["console", "<script>console.log(1)</script>", /^console/],
      ["policy", `${policy}<script>1</script>`, /Content Security Policy|ContentSecurityPolicy/]
    ] as const) {
      const { problems } = await openHtml(name, html)
      assert.isTrue(
        problems.some((problem) => expected.test(problem)),
        `${name}: ${problems.join()}`
      )
    }
    const { requests } = await openHtml("request", `<img src="missing.png"><img src="http://127.0.0.1:1/x.png">`)
    assert.deepStrictEqual(
      requests.map((url) => url.split("/").at(-1)),
      ["missing.png", "x.png"]
    )
  }),

  test("shows the conversation, its tools, its branch, its sums", async (open) => {
    const page = await open("rich", Sample.rich())
    await openFold(page, ".statistics")
    const text = await shown(page, "body")
    for (const part of [
      "The missing thread",
      "The cloth comes out one thread short.",
      "What I changed",
      "npm test -- weave",
      "failed",
      "+2",
      "37.3K",
      "$0.071",
      "Tokens per turn",
      "Cost per turn",
      "Timeline",
      "checkpoint",
      "152.3K tokens before",
      "529 overloaded_error",
      "Branch 2 of 2",
      "git diff --stat",
      "Model: anthropic/claude-opus-4-5"
    ]) {
      assert.include(text, part)
    }
    assert.notInclude(await shown(page), "make thread() count")
    const facts = await page.evaluate(`({
      highlighted: document.querySelectorAll(".prose .hljs-keyword").length > 0,
      image: document.querySelector(".picture img").naturalWidth,
      table: document.querySelector(".prose td:last-child").align,
      link: document.querySelector(".prose a").outerHTML
    })`)
    assert.deepStrictEqual(facts, {
      highlighted: true,
      image: 16,
      table: "right",
      link: '<a href="https://example.com/weaving" target="_blank" rel="noopener noreferrer">the manual</a>'
    })
    assert.deepStrictEqual(quiet(page), nothing)
  }),

  test("folds open with e: thinking, arguments, output, and the difference line by line", async (open) => {
    const page = await open("rich", Sample.rich())
    assert.notInclude(await shown(page), "That is all.")
    await page.press("e")
    const text = await shown(page)
    for (const part of ["That is all.", "expected 99 rows, got 98", "Fix the missing thread."])
      assert.include(text, part)
    const lines = await page.evaluate(
      drawn(
        `[...document.querySelectorAll(".diff-line:is(.added, .removed)")].map((line) => line.innerText.replace(/\\s+/g, " ").trim())`
      )
    )
    assert.deepStrictEqual(lines, [
      "15 − cloth.push(thread(i))",
      "15 + // Threads are counted from 1.",
      "16 + cloth.push(thread(i + 1))"
    ])
    await page.press("e")
    assert.strictEqual(await page.evaluate("document.querySelectorAll('.conversation details[open]').length"), 0)
    assert.deepStrictEqual(quiet(page), nothing)
  }),

  test("keys: messages, branches, search, help, charts", async (open) => {
    const page = await open("rich", Sample.rich())
    await page.press("j")
    assert.strictEqual(await page.evaluate("document.activeElement.className"), "item user")
    await openFold(page, ".statistics")
    await page.press("]")
    assert.include(await shown(page), "That touches eleven callers.")
    assert.notInclude(await shown(page), "Commit it.")
    await page.press("[")
    assert.include(await shown(page), "Commit it.")
    await page.press("/")
    assert.strictEqual(await page.evaluate("document.activeElement.type"), "search")
    await page.send("Input.insertText", { text: "ELEVEN callers" })
    await page.press("Enter")
    assert.include(await shown(page), "That touches eleven callers.", "found on the other branch")
    assert.strictEqual(await page.evaluate("document.querySelector('.search-status').innerText"), "1 of 1")
    await page.evaluate("document.activeElement.select()")
    await page.send("Input.insertText", { text: "first suspect" })
    await page.press("Enter")
    const found = `({ open: document.querySelector(".thinking").open, marked: [...CSS.highlights.get("search-current")].map(String) })`
    assert.deepStrictEqual(await page.evaluate(found), { open: true, marked: ["first suspect"] })
    await page.evaluate("document.activeElement.select()")
    await page.send("Input.insertText", { text: "push(thread(i + 1))" })
    await page.press("Enter")
    const across = `[...CSS.highlights.get("search-current")].map(String)`
    assert.deepStrictEqual(await page.evaluate(across), ["push(thread(i + 1))"], "across the spans of highlighting")
    await page.press("Escape")
    await page.evaluate(`document.querySelector('.outline-row[tabindex="0"]').focus()`)
    await page.press("Home")
    await page.press("ArrowDown")
    await page.press("Enter")
    assert.include(await shown(page), "That touches eleven callers.", "chosen in the outline")
    await page.press("o")
    assert.strictEqual(await page.evaluate("getComputedStyle(document.querySelector('.outline')).display"), "none")
    await page.press("o")
    await page.press("?")
    assert.strictEqual(await page.evaluate("document.querySelector('dialog').open"), true)
    await page.evaluate("document.querySelector('dialog').close(); document.querySelector('.chart-face').focus()")
    await page.press("ArrowRight")
    const says = await page.evaluate("document.activeElement.getAttribute('aria-valuetext')")
    assert.strictEqual(says, "Turn 2: 7.7K in (6.4K cached), 180 out")
    await page.press("Enter")
    assert.include(String(await page.evaluate(drawn("document.activeElement.innerText"))), "src/weave.ts")
    assert.deepStrictEqual(quiet(page), nothing)
  }),

  test("every kind of entry, in every condition", async (_, openHtml) => {
    // As a file of version 1 has them: without ids, so that each follows the one before.
    const entries = renderings.map(([, entry]): SessionEntry => ({ type: "foreign", raw: entry, ...nowhere }))
    const page = await openHtml("kinds", Page.render({ ...Sample.document([]), entries, leafId: "last" }, viewer))
    await shown(page)
    await page.press("e")
    const read = `[...document.querySelectorAll(".item-body")].map((each) => each.innerText.replace(/\\s+/g, " ").trim())`
    const expected = renderings.flatMap(([why, , text]) => (text === undefined ? [] : [[why, text] as const]))
    const got: unknown = await page.evaluate(drawn(read))
    assert.deepStrictEqual(
      Array.isArray(got) ? got.map((text, at) => [expected[at]?.[0], text]) : got,
      expected.map(([why, text]) => [why, text])
    )
    assert.strictEqual(await page.evaluate("[...document.images].filter((each) => each.naturalWidth === 16).length"), 2)
    assert.deepStrictEqual(quiet(page), nothing)
  }),

  test("light and dark: every text stands out from what is behind it", async (open) => {
    mkdirSync(shots, { recursive: true })
    for (const dark of [false, true]) {
      const page = await open("rich", Sample.rich(), { dark })
      await page.screenshot(join(shots, `export-${dark ? "dark" : "light"}.png`))
      await page.press("e")
      await openFold(page, ".statistics")
      const faint = await page.evaluate(
        `${JSON.stringify([...texts, ...more])}.map((selector) => [selector, (${contrast})(selector)]).filter(([, ratio]) => !(ratio >= 4.5))`
      )
      assert.deepStrictEqual(faint, [], dark ? "dark" : "light")
      const paper = "getComputedStyle(document.documentElement).backgroundColor"
      assert.strictEqual(await page.evaluate(paper), dark ? "rgb(23, 24, 27)" : "rgb(252, 251, 249)")
      await page.press("t")
      assert.strictEqual(await page.evaluate(paper), dark ? "rgb(252, 251, 249)" : "rgb(23, 24, 27)")
      await page.evaluate("document.querySelector('.conversation').scrollIntoView()")
      await page.screenshot(join(shots, `export-switched-to-${dark ? "light" : "dark"}.png`))
      assert.deepStrictEqual(quiet(page), nothing)
    }
  }),

  test("a hostile session runs nothing, asks for nothing and is shown as text", async (open) => {
    const page = await open("hostile", Sample.hostile())
    await page.evaluate("dispatchEvent(new Event('beforeprint'))")
    await page.press("e")
    await page.evaluate("for (const each of document.querySelectorAll('.more button:last-child')) each.click()")
    await page.evaluate(frames(3))
    const facts = await page.evaluate(`({
      pwned: typeof window.pwned,
      scripts: document.scripts.length,
      handlers: [...document.querySelectorAll("*")].filter((e) => [...e.attributes].some((a) => a.name.startsWith("on"))).length,
      foreign: document.querySelectorAll("iframe, object, embed, base, form, main style, main link, main meta").length,
      links: [...new Set([...document.links].map((a) => a.protocol))].sort(),
      images: [...document.images].map((image) => image.src.slice(0, 14)),
      long: document.body.textContent.length > 5_000_000
    })`)
    assert.deepStrictEqual(facts, {
      pwned: "undefined",
      scripts: 2,
      handlers: 0,
      foreign: 0,
      links: ["file:", "https:"],
      images: [],
      long: true
    })
    for (const kind of ["user", "assistant", "custom", "summary"]) {
      const text = String(await page.evaluate(`document.querySelector(".item.${kind}").textContent`))
      for (const attack of Sample.attacks) assert.include(text, attack, kind)
    }
    assert.deepStrictEqual(quiet(page), nothing)
  }),

  test("ten thousand messages: opens, finds, jumps, and scrolling keeps up", async (open) => {
    const page = await open("long", Sample.long(10_000))
    const filled = "document.querySelectorAll('.item').length"
    assert.isBelow(Number(await page.evaluate(filled)), 200)
    const blank = await page.evaluate(`(async () => {
      let blank = 0
      for (let step = 0; step < 15; step++) {
        scrollBy(0, 900)
        await ${frames(3)}
        if (document.elementFromPoint(800, 450).closest(".item, .conversation > .page:empty")?.matches(".page")) blank++
      }
      return blank
    })()`)
    assert.strictEqual(blank, 0)
    await page.press("/")
    await page.send("Input.insertText", { text: "needle 2400 " })
    await page.press("Enter")
    assert.strictEqual(await page.evaluate("document.querySelector('.search-status').innerText"), "1 of 1")
    const inView = (text: string) => `(() => {
      const found = [...document.querySelectorAll(".item")].find((item) => item.textContent.includes(${JSON.stringify(text)}))
      if (found === undefined) return false
      const { bottom, top } = found.getBoundingClientRect()
      return bottom > 0 && top < innerHeight
    })()`
    assert.isTrue(await page.evaluate(until(inView("Needle 2400 is"))))
    await page.press("Escape")
    await page.press("G")
    assert.isTrue(await page.evaluate(until(inView("Needle 2499 is"))))
    await page.press("g")
    assert.isTrue(await page.evaluate(until(inView("Question 0:"))))
    assert.isBelow(Number(await page.evaluate(filled)), 600, "what nobody looked at was not made")
    assert.deepStrictEqual(quiet(page), nothing)
  }),

  test("on paper: everything filled, no controls, light", async (open) => {
    const page = await open("print", Sample.long(80), { dark: true })
    const { data } = await page.send("Page.printToPDF")
    assert.isTrue(String(data).startsWith("JVBERi"), "a PDF")
    assert.strictEqual(await page.evaluate("document.querySelectorAll('.page:empty').length"), 0)
    await page.send("Emulation.setEmulatedMedia", { media: "print" })
    const hidden = `[".bar", ".outline", ".copy"].map((name) => getComputedStyle(document.querySelector(name)).display)`
    assert.deepStrictEqual(await page.evaluate(hidden), ["none", "none", "none"])
    assert.deepStrictEqual(quiet(page), nothing)
  }),

  test("small screens, empty sessions and damaged pages", async (open, openHtml) => {
    const small = await open("rich", Sample.rich(), { width: 390, height: 800 })
    assert.isTrue(await small.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing sticks out")
    assert.strictEqual(await small.evaluate("getComputedStyle(document.querySelector('.outline')).display"), "none")
    await small.press("o")
    await small.evaluate("document.querySelectorAll('.outline-row')[1].click()")
    assert.include(await shown(small), "That touches eleven callers.")
    assert.strictEqual(await small.evaluate("getComputedStyle(document.querySelector('.outline')).display"), "none")
    const empty = await open("empty", Sample.document([]))
    assert.include(String(await empty.evaluate("document.body.innerText")), "No messages yet")
    const html = Page.render(Sample.rich(), viewer)
    for (const broken of [html.replace('id="session">', 'id="session">!'), html.replace('id="session"', 'id="lost"')]) {
      const page = await openHtml("broken", broken)
      assert.include(String(await page.evaluate("document.body.innerText")), "This page is damaged")
      assert.deepStrictEqual(quiet(page), nothing)
    }
    for (const page of [small, empty]) assert.deepStrictEqual(quiet(page), nothing)
  })
]

describeInBrowser("the exported page in a browser", tests)
