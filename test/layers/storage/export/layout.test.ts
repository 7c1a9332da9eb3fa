/** How the page looks on a phone and on a wide screen, in a real browser. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { toJson } from "../../../../src/domain/session/SessionEntry.ts"
import type { Page } from "../../../support/host/Chromium.ts"
import { entry } from "../../../support/host/HostProcess.ts"
import { project } from "../../../support/sessions/ProjectSession.ts"
import * as Sample from "../../../support/sessions/SampleSessions.ts"
import { describeInBrowser, drawn, frames, nothing, openFold, quiet, shots, shown, test, until } from "./inBrowser.ts"

const phone = { width: 390, height: 844 }
const wide = { width: 1280, height: 900 }
const looks = [phone, wide]

/** Words that continue on another line, although a whole line has room for them. Lines of long output may break anywhere. */
const brokenWords = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const broken = []
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement
    if (parent.closest("script, noscript, .code") || !parent.checkVisibility()) continue
    for (const { 0: word, index } of node.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
      const range = document.createRange()
      range.setStart(node, index)
      range.setEnd(node, index + word.length)
      const lines = new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top)))
      if (lines.size > 1) broken.push(word)
    }
  }
  return broken
})()`

const sticksOut = "document.documentElement.scrollWidth - innerWidth"
const visible = (selector: string) =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})].filter((each) => each.checkVisibility({ opacityProperty: true, visibilityProperty: true }))`
const textsOf = (selector: string) => `${visible(selector)}.map((each) => each.innerText.replace(/\\s+/g, " ").trim())`

const openEverything = async (page: Page) => {
  await shown(page)
  await openFold(page, ".statistics")
  await page.press("e")
  await page.evaluate(frames(2))
}

const tests = [
  test("no word is broken and nothing sticks out, closed and open", async (open) => {
    mkdirSync(shots, { recursive: true })
    for (const look of looks) {
      for (const [name, document] of [
        ["project", project()],
        ["rich", Sample.rich()]
      ] as const) {
        const page = await open(name, document, look)
        await shown(page)
        await page.screenshot(join(shots, `export-${name}-${look.width}.png`))
        assert.deepStrictEqual(await page.evaluate(drawn(brokenWords)), [], `${name} at ${look.width}, closed`)
        assert.strictEqual(await page.evaluate(sticksOut), 0)
        await openEverything(page)
        assert.deepStrictEqual(await page.evaluate(drawn(brokenWords)), [], `${name} at ${look.width}, open`)
        assert.strictEqual(await page.evaluate(sticksOut), 0)
        assert.deepStrictEqual(quiet(page), nothing)
      }
    }
  }),

  test("a table that is wider than the screen scrolls in its frame", async (open) => {
    const page = await open("project", project(), phone)
    await shown(page)
    const frame = `(() => {
      const { clientWidth, scrollWidth } = document.querySelector(".table-frame")
      return { fits: clientWidth <= innerWidth, scrolls: scrollWidth > clientWidth }
    })()`
    assert.deepStrictEqual(await page.evaluate(frame), { fits: true, scrolls: true })
    const lines = `[...document.querySelectorAll("th")].map((cell) => {
      const range = document.createRange()
      range.selectNodeContents(cell)
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
    })`
    assert.deepStrictEqual(await page.evaluate(drawn(lines)), [1, 1, 1, 1, 1, 1])
  }),

  test("even the hostile session does not stick out of a phone", async (open) => {
    const page = await open("hostile", Sample.hostile(), phone)
    await openEverything(page)
    assert.strictEqual(await page.evaluate(sticksOut), 0)
    assert.deepStrictEqual(quiet(page), nothing)
  }),

  test("statistics are folded under their totals, and stay open on other branches", async (open) => {
    for (const look of looks) {
      const page = await open("project", project(), look)
      assert.deepStrictEqual(await page.evaluate(textsOf(".total")), [
        "2 prompts",
        "4 tool calls, 1 failed",
        "125.6K tokens",
        "$0.23"
      ])
      assert.deepStrictEqual(await page.evaluate(textsOf(".tile, .chart")), [])
      await openFold(page, ".statistics")
      assert.deepStrictEqual(await page.evaluate(textsOf(".tile dt")), ["Prompts", "Tool calls", "Tokens", "Cost"])
      assert.deepStrictEqual(await page.evaluate(textsOf(".chart-title")), [
        "Tokens per turn",
        "Cost per turn",
        "Timeline"
      ])
      await page.press("[")
      assert.include(await shown(page), "One change of all modules")
      assert.strictEqual(await page.evaluate(`${visible(".tile")}.length`), 4)
    }
  }),

  test("every answer shows the tokens and the cost of all its calls, once and without a pointer", async (open) => {
    for (const look of looks) {
      const page = await open("project", project(), look)
      await shown(page)
      assert.deepStrictEqual(await page.evaluate(drawn(textsOf(".item.assistant .item-meta"))), [
        "24.1K in · 1.2K out · $0.066",
        "44.5K in · 650 out · $0.033"
      ])
      const between = `${visible(".item.continued > .item-head")}.map((each) => each.innerText)`
      assert.deepStrictEqual(await page.evaluate(drawn(between)), [])
      await page.evaluate("document.querySelector('.item.continued .item-time').focus()")
      assert.match(String(await page.evaluate(drawn(between))), /^\d\d:\d\d$/)
      assert.deepStrictEqual(await page.evaluate(drawn(textsOf(".item.assistant .who"))), [
        "anthropic/claude-sonnet-4-5-20250929-extended",
        "claude-sonnet-4-5"
      ])
    }
  }),

  test("changes are open at first, other results of tools are not", async (open) => {
    for (const look of looks) {
      const page = await open("rich", Sample.rich(), look)
      await shown(page)
      const opened =
        "[...document.querySelectorAll('.tool[open]')].map((each) => each.querySelector('.tool-name').innerText)"
      assert.deepStrictEqual(await page.evaluate(drawn(opened)), ["edit"])
      assert.isTrue(await page.evaluate("document.querySelectorAll('.tool[open] .diff-line.added').length > 0"))
      await page.press("e")
      await page.press("e")
      assert.deepStrictEqual(await page.evaluate(drawn(opened)), [])
    }
  }),

  test("every button of the bar is there and can be hit in narrow windows, help too", async (open) => {
    for (const width of [420, 360]) {
      const page = await open("project", project(), { width, height: 800 })
      const buttons = `${visible(".bar > .icon-button")}.map((each) => {
        const { left, right, top, width } = each.getBoundingClientRect()
        const hit = document.elementFromPoint((left + right) / 2, top + 8)
        return each.ariaLabel + (left >= 0 && right <= innerWidth && width >= 28 && each.contains(hit) ? "" : " (out of reach)")
      })`
      assert.deepStrictEqual(await page.evaluate(buttons), [
        "Outline",
        "Open or close everything",
        "Download the session",
        "Light or dark",
        "Keyboard shortcuts"
      ])
      assert.isAbove(Number(await page.evaluate("document.querySelector('.search input').clientWidth")), 60)
      await page.evaluate("document.querySelector('.tool-help').click()")
      assert.include(
        String(await page.evaluate("document.querySelector('dialog[open]').innerText")),
        "Next and previous match"
      )
      await page.screenshot(join(shots, `export-help-${width}.png`))
      assert.strictEqual(await page.evaluate(sticksOut), 0)
    }
  }),

  test("the outline of everything names calls and marks failures", async (open) => {
    for (const look of looks) {
      const page = await open("project", project(), look)
      if (look === phone) await page.press("o")
      await page.evaluate("[...document.querySelectorAll('.tab')].at(-1).click()")
      assert.deepStrictEqual(await page.evaluate(drawn(textsOf(".outline-row.trouble"))), [
        "bash npm test -- administration 2>&1 | tail -20 failed",
        "task worker: locale-tables, plural-rules, dates 2 failed",
        "The tables are moved. The tests of the plural rules failed, so I fix those myself. no result"
      ])
      const call = "[...document.querySelectorAll('.outline-row')].find((row) => row.textContent.includes('src/i18n'))"
      await page.evaluate(`${call}.click()`)
      assert.include(String(await page.evaluate("document.activeElement.textContent")), "src/i18n/plural.ts")
      assert.strictEqual(await page.evaluate(`${call}.getAttribute("aria-current")`), "true")
    }
  }),

  test("the timeline has a legend of what it shows, with the colours of its ticks", async (open) => {
    const colours = `Object.fromEntries([...document.querySelectorAll(".chart:last-child .key span")].map((each) => {
      const swatch = each.querySelector("i")
      const tick = document.querySelector("svg ." + swatch.className.split(" ").at(-1))
      return [each.innerText.trim(), getComputedStyle(swatch).backgroundColor === getComputedStyle(tick).fill]
    }))`
    const page = await open("project", project(), phone)
    await openFold(page, ".statistics")
    assert.deepStrictEqual(await page.evaluate(colours), {
      Prompt: true,
      Answer: true,
      "Tool result": true,
      Failure: true,
      "Pause of more than 10 minutes, shortened": true
    })
    const dense = await open("long", Sample.long(2000), phone)
    await openFold(dense, ".statistics")
    assert.deepStrictEqual(await dense.evaluate(colours), { "Entries; the higher, the more": true })
  }),

  test("the results of tasks are shown one by one", async (open) => {
    for (const look of looks) {
      const page = await open("project", project(), look)
      await shown(page)
      await page.evaluate(
        "[...document.querySelectorAll('.tool')].find((each) => each.textContent.startsWith('task')).open = true"
      )
      await page.evaluate(until("document.querySelector('.task') !== null"))
      const heads = `${visible(".task")}.map((each) => [...each.querySelectorAll(".task-id, .task-agent, .badge")].map((part) => part.innerText))`
      assert.deepStrictEqual(await page.evaluate(drawn(heads)), [
        ["locale-tables", "worker", "completed", "verification passed after a repair"],
        ["plural-rules", "worker", "failed", "verification failed"],
        ["dates", "scout", "aborted"]
      ])
      const text = String(await page.evaluate(drawn("document.querySelector('.task').parentElement.innerText")))
      for (const part of [
        "Moved 14 tables into",
        "Verification failed: tests",
        "Stopped by the host",
        "I wrote the tests."
      ])
        assert.include(text, part)
      assert.notInclude(text, '"exitCode"')
    }
  }),

  test("the session can be saved as the file that it was, and heddle opens it", async (open) => {
    const folder = mkdtempSync(join(tmpdir(), "heddle-saved-"))
    const document = project()
    const expected = [document.header, ...document.entries.map(toJson)].map((line) => `${JSON.stringify(line)}\n`)
    const saved = join(folder, `${document.header.id}.jsonl`)
    for (const look of looks) {
      const page = await open("project", document, look)
      await page.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder })
      await page.evaluate(`${visible("[aria-label='Download the session']")}[0].click()`)
      while (!existsSync(saved)) await page.evaluate(frames(1))
      assert.strictEqual(readFileSync(saved, "utf8"), expected.join(""))
      const state = spawnSync(process.execPath, [entry, "--mode", "rpc", "--drain", "--session", saved], {
        cwd: folder,
        env: { PATH: process.env["PATH"], HOME: folder },
        input: `${JSON.stringify({ id: 1, type: "get_state" })}\n`,
        encoding: "utf8"
      })
      const answer = state.stdout.split("\n").find((line) => line.includes('"get_state"'))
      const { messageCount, sessionId } = JSON.parse(answer ?? "{}").data
      assert.deepStrictEqual({ messageCount, sessionId }, { messageCount: 11, sessionId: document.header.id })
      rmSync(saved)
      assert.deepStrictEqual(page.problems, [])
      assert.deepStrictEqual(
        page.requests.filter((url) => !url.startsWith("blob:")),
        []
      )
    }
    rmSync(folder, { recursive: true })
  })
]

describeInBrowser("the look of the exported page", tests)
