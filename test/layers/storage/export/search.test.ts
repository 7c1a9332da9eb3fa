/** The search of the page, in a real browser: it steps through matches, wherever they are. */
import { assert } from "@effect/vitest"
import type { SessionEntry } from "../../../../src/domain/session/SessionEntry.ts"
import type { Document } from "../../../../src/layers/storage/export/Document.ts"
import type { Page } from "../../../support/host/Chromium.ts"
import { project } from "../../../support/sessions/ProjectSession.ts"
import * as Sample from "../../../support/sessions/SampleSessions.ts"
import { describeInBrowser, nothing, quiet, shown, test, until } from "./inBrowser.ts"
import { renderings } from "./renderings.ts"

const phone = { width: 390, height: 844 }
const shift = 8

const status = "document.querySelector('.search-status').textContent"
/** The current match: its text, and whether a reader sees it, in the window and in the frames that scroll. */
const current = `(() => {
  const [range] = CSS.highlights.get("search-current")
  if (range === undefined) return { text: "", seen: false }
  const { bottom, left, right, top } = range.getBoundingClientRect()
  const inside = (box) => top >= box.top - 1 && bottom <= box.bottom + 1 && left < box.right && right > box.left
  const frames = []
  for (let at = range.startContainer.parentElement; at !== null; at = at.parentElement)
    if (at.matches("pre, .diff, .table-frame")) frames.push(at.getBoundingClientRect())
  const page = { top: 52, left: 0, bottom: innerHeight, right: innerWidth }
  return { text: range.toString(), seen: bottom > top && [page, ...frames].every(inside) }
})()`
/** Says of each match where it is: in which item, and how far into its text. */
const where = `(() => {
  const [range] = CSS.highlights.get("search-current")
  const item = range.startContainer.parentElement.closest(".item")
  const before = document.createRange()
  before.setStart(item, 0)
  before.setEnd(range.startContainer, range.startOffset)
  return [item.id, before.toString().length]
})()`

/** The current match, as soon as it is in sight; the frames after a step may still move it. */
const settled = `(async () => {
  for (let frame = 0; frame < 60 && !${current}.seen; frame++) await new Promise(requestAnimationFrame)
  return ${current}
})()`

const type = async (page: Page, text: string) => {
  await page.evaluate("document.activeElement.blur()")
  await page.press("/")
  await page.send("Input.insertText", { text })
  await page.press("Enter")
}

/** Goes once through all matches, and checks of each that it is marked and in sight. */
const walk = async (page: Page, query: string): Promise<ReadonlyArray<unknown>> => {
  await type(page, query)
  const total = Number(String(await page.evaluate(status)).replace(/^1 of /, ""))
  const visited: Array<unknown> = []
  for (let index = 1; index <= total; index++) {
    assert.strictEqual(await page.evaluate(status), `${index} of ${total}`)
    const match = await page.evaluate(settled)
    const text = String(Object(match).text).toLowerCase()
    assert.deepStrictEqual([text, Object(match).seen], [query.toLowerCase(), true], `${query}: ${index} of ${total}`)
    visited.push(await page.evaluate(where))
    await page.press("Enter")
  }
  assert.strictEqual(await page.evaluate(status), `1 of ${total}`, "round again")
  assert.strictEqual(new Set(visited.map((place) => JSON.stringify(place))).size, total, "every match once")
  return visited
}

/** Seventeen apples, one in every kind of place. */
const orchard = (): Document => {
  const s = Sample.builder()
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}`).join("\n")
  s.user("Apple, APPLE and ap**ple**.")
  s.assistant([
    { type: "thinking", thinking: "One apple, `apple`." },
    {
      type: "text",
      text: "| a | apple |\n| --- | --- |\n| app | le |\n\n- apple\n\n```ts\nconst apple = 1\n```\n\napp\nle"
    },
    { type: "toolCall", id: "r", name: "read", arguments: { path: "apple.ts" } },
    { type: "toolCall", id: "b", name: "bash", arguments: { command: "ls apple" } },
    { type: "toolCall", id: "e", name: "edit", arguments: { path: "b.ts" } }
  ])
  s.result("r", "read", "no fruit")
  s.result("b", "bash", `${lines(20_000)}\n${" ".repeat(300)}apple at the end\n${lines(50)}`)
  const diff = `@@ -1,900 +1,900 @@\n${lines(900).replaceAll(/^/gm, " ")}\n-apple\n+pear\n`
  const fork = s.result("e", "edit", "done", { details: { diff } })
  s.user("Bananas on this branch, and an apple. &#65;pple by number.")
  s.at(fork)
  s.user("Stay here.")
  s.add({
    type: "compaction",
    summary: "The **apple** is eaten.",
    firstKeptEntryId: fork,
    tokensBefore: 9,
    ...s.place()
  })
  s.assistant([], undefined, { stopReason: "error", errorMessage: "no apple left" })
  s.add({ type: "session_info", name: "Apple pie", ...s.place() })
  return Sample.document(s.entries)
}

const tests = [
  test("counts matches and not messages, and goes through every one, in all kinds of places", async (open) => {
    for (const look of [phone, {}]) {
      const page = await open("orchard", orchard(), look)
      await shown(page)
      const visited = await walk(page, "apple")
      assert.strictEqual(visited.length, 17)
      const items = visited.map((place) => String(Object(place)[0]))
      assert.strictEqual(new Set(items).size, 6, "in six messages")
      assert.deepStrictEqual(quiet(page), nothing)
    }
  }),

  test("matches are in the order in which they are read; those of other branches come last", async (open) => {
    const page = await open("orchard", orchard())
    await shown(page)
    await type(page, "apple")
    assert.notInclude(await shown(page), "Bananas")
    await page.press("Enter", shift)
    assert.strictEqual(await page.evaluate(status), "17 of 17")
    assert.include(await shown(page), "Bananas", "on the other branch")
    await page.press("Enter", shift)
    await page.press("Enter", shift)
    assert.strictEqual(await page.evaluate(status), "15 of 17")
    assert.include(await shown(page), "Session named", "back on the first")
    await page.press("Escape")
    await type(page, "locale")
    assert.strictEqual(await page.evaluate(status), "No matches")
    const ordered = await open("project", project())
    await shown(ordered)
    const visited = await walk(ordered, "test")
    const byItem = Map.groupBy(visited, (place) => Object(place)[0])
    assert.isAbove(visited.length, 10)
    for (const places of byItem.values()) {
      const offsets = places.map((place) => Number(Object(place)[1]))
      assert.deepStrictEqual(
        offsets,
        offsets.toSorted((one, other) => one - other)
      )
    }
  }),

  test("with the keys n and N, and with the buttons", async (open) => {
    const page = await open("orchard", orchard(), phone)
    await shown(page)
    await type(page, "apple")
    await page.evaluate("document.activeElement.blur()")
    const steps: ReadonlyArray<readonly [() => Promise<unknown>, string]> = [
      [() => page.press("n"), "2 of 17"],
      [() => page.press("n"), "3 of 17"],
      [() => page.press("N"), "2 of 17"],
      [() => page.evaluate("document.querySelector('[aria-label=\"Next match\"]').click()"), "3 of 17"],
      [() => page.evaluate("document.querySelector('[aria-label=\"Previous match\"]').click()"), "2 of 17"],
      [() => page.evaluate("document.querySelector('[aria-label=\"Leave the search\"]').click()"), ""]
    ]
    for (const [step, said] of steps) {
      await step()
      assert.strictEqual(await page.evaluate(status), said)
    }
    assert.strictEqual(await page.evaluate("CSS.highlights.get('search-current').size"), 0)
  }),

  test("typing searches without a key, and unfolds what it finds", async (open) => {
    const page = await open("orchard", orchard(), phone)
    await shown(page)
    assert.strictEqual(await page.evaluate("document.querySelector('.thinking').open"), false)
    await page.press("/")
    await page.send("Input.insertText", { text: "one apple" })
    assert.isTrue(await page.evaluate(until(`${status} === "1 of 1"`)))
    assert.strictEqual(await page.evaluate("document.querySelector('.thinking').open"), true)
    assert.deepStrictEqual(await page.evaluate(settled), { text: "One apple", seen: true })
  }),

  test("on a phone the controls of the search are in the bar, and nothing else is in their way", async (open) => {
    const page = await open("orchard", orchard(), phone)
    await type(page, "apple")
    const bar = `[...document.querySelectorAll(".bar button, .bar input")]
      .filter((each) => each.checkVisibility())
      .map((each) => ({ name: each.ariaLabel, fits: each.getBoundingClientRect().right <= innerWidth, wide: each.offsetWidth >= 32 }))`
    assert.deepStrictEqual(
      await page.evaluate(bar),
      ["Search the session", "Previous match", "Next match", "Leave the search"].map((name) => ({
        name,
        fits: true,
        wide: true
      }))
    )
  }),

  test("every kind of entry is found as it is shown", async (open) => {
    const nowhere = { id: "", parentId: null, timestamp: "" }
    const entries = renderings.map(([, entry]): SessionEntry => ({ type: "foreign", raw: entry, ...nowhere }))
    const page = await open("kinds", { ...Sample.document([]), entries, leafId: "last" })
    await shown(page)
    assert.isAbove((await walk(page, "o")).length, 10)
    assert.strictEqual((await walk(page, "☑ done")).length, 1)
    assert.strictEqual((await walk(page, "ts2304")).length, 1)
    assert.deepStrictEqual(quiet(page), nothing)
  }),

  test("hostile text is found, too, and stays text", async (open) => {
    const page = await open("hostile", Sample.hostile(), phone)
    const visited = await walk(page, "window.pwned=1;")
    assert.isAbove(visited.length, 20)
    await page.evaluate("document.activeElement.select()")
    await page.send("Input.insertText", { text: "y" })
    await page.press("Enter")
    await page.press("Enter", shift)
    const [, at, total] = /^(\S+) of (\S+)$/.exec(String(await page.evaluate(status))) ?? []
    assert.strictEqual(at, total)
    assert.deepStrictEqual(await page.evaluate("typeof window.pwned"), "undefined")
    assert.deepStrictEqual(quiet(page), nothing)
  })
]

describeInBrowser("the search of the exported page", tests)
