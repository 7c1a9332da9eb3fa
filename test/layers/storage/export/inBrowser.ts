/** Exported pages in a real browser, from file://, as people open them. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, ManagedRuntime } from "effect"
import type { Document } from "../../../../src/layers/storage/export/Document.ts"
import * as Page from "../../../../src/layers/storage/export/Page.ts"
import { viewer } from "../../../../src/layers/storage/export/ViewerAsset.ts"
import * as Chromium from "../../../support/host/Chromium.ts"

export type Open = (name: string, document: Document, look?: Chromium.Look) => Promise<Chromium.Page>

export type OpenHtml = (name: string, html: string, look?: Chromium.Look) => Promise<Chromium.Page>

class Browser extends Context.Tag("test/Browser")<
  Browser,
  { readonly open: Open; readonly openHtml: OpenHtml; readonly closeAll: () => Promise<void> }
>() {}

const layer = Layer.scoped(
  Browser,
  Effect.gen(function* () {
    const pages: Array<Chromium.Page> = []
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "heddle-pages-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    const browser = yield* Chromium.make
    const openHtml: OpenHtml = async (name, html, look) => {
      const file = join(folder, `${name}.html`)
      writeFileSync(file, html)
      const page = await browser.open(pathToFileURL(file).href, look)
      pages.push(page)
      return page
    }
    return {
      openHtml,
      open: (name, document, look) => openHtml(name, Page.render(document, viewer), look),
      closeAll: async () => {
        for (const page of pages.splice(0)) await page.close()
      }
    }
  })
)

/** For people to look at after a run. */
export const shots = join(import.meta.dirname, "../../../test-results")
export const frames = (count: number) =>
  `(async () => { for (let i = 0; i < ${count}; i++) await new Promise(requestAnimationFrame) })()`
export const until = (condition: string) =>
  `(async () => { while (!(${condition})) await new Promise(requestAnimationFrame); return true })()`
/**
 * The value of an expression while everything is drawn: `innerText` leaves out what is not, and when the browser draws
 * what is out of view is its own affair.
 */
export const drawn = (expression: string) => `(() => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync("* { content-visibility: visible !important }")
  document.adoptedStyleSheets.push(sheet)
  const value = ${expression}
  document.adoptedStyleSheets.pop()
  return value
})()`
/** The text of a part of the page, once all of it is there. */
export const shown = async (page: Chromium.Page, part = ".conversation") => {
  await page.evaluate(
    until("document.querySelector('.page:empty') === null && [...document.images].every((each) => each.complete)")
  )
  return String(await page.evaluate(drawn(`document.querySelector("${part}").innerText`)))
}
/** The body of a fold is built in a task of its own. */
export const openFold = async (page: Chromium.Page, selector: string) => {
  const fold = `document.querySelector(${JSON.stringify(selector)})`
  await page.evaluate(`${fold}.querySelector("summary").click()`)
  await page.evaluate(until(`${fold}.querySelector(":scope > .fold-body") !== null`))
}
export const quiet = ({ problems, requests }: Chromium.Page) => ({ problems, requests })
export const nothing = { problems: [], requests: [] }

export const test = (name: string, body: (open: Open, openHtml: OpenHtml) => Promise<void>) =>
  [
    name,
    Effect.flatMap(Browser, ({ closeAll, open, openHtml }) =>
      Effect.ensuring(
        Effect.promise(() => body(open, openHtml)),
        Effect.promise(closeAll)
      )
    )
  ] as const

const why = "no Chromium or Chrome was found on this machine"

/** Runs the tests in one browser; says why if there is none. */
export const describeInBrowser = (name: string, tests: ReadonlyArray<ReturnType<typeof test>>): void => {
  if (Chromium.program === undefined) console.warn(`Tests of exported pages are skipped (${name}): ${why}.`)
  describe.skipIf(Chromium.program === undefined)(
    Chromium.program === undefined ? `${name} (skipped: ${why})` : name,
    () => {
      // Not `it.layer`: it changes `it` for all files of a worker.
      const runtime = ManagedRuntime.make(layer)
      afterAll(() => runtime.dispose())
      for (const [name, body] of tests) it(name, () => runtime.runPromise(body), 30_000)
    }
  )
}
