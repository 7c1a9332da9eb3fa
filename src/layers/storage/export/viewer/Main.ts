/** The entry point of the viewer: reads the embedded session and builds the page. */
import { button, h, icon } from "./Dom.ts"
import { read as readEntries } from "./conversation/Entries.ts"
import * as Download from "./Download.ts"
import * as Help from "./Help.ts"
import { anchorOf } from "./conversation/ItemView.ts"
import * as Reader from "./Reader.ts"
import * as Search from "./outline/Search.ts"
import { attempt, decode } from "./text/Json.ts"

const root = document.documentElement
const lookEvery = 80

const toggleTheme = () => {
  const isDark =
    root.dataset["theme"] === "dark" ||
    (root.dataset["theme"] === undefined && matchMedia("(prefers-color-scheme: dark)").matches)
  root.dataset["theme"] = isDark ? "light" : "dark"
}

const narrow = matchMedia("(max-width: 960px)")

/** The outline is beside the conversation in a wide window, and over it in a narrow one. */
const toggleOutline = (open = root.dataset["outline"] !== "open") => {
  root.dataset["outline"] = open ? "open" : "closed"
}

const tool = (label: string, keys: string, name: Parameters<typeof icon>[0], run: () => void) =>
  button({ class: `icon-button tool-${name}`, title: `${label} (${keys})`, "aria-label": label }, run, icon(name))

const damaged = () =>
  h(
    "main",
    { class: "nothing" },
    h("h1", {}, "This page is damaged"),
    h("p", {}, "The session in this page cannot be read. Copy the file again, or export the session again.")
  )

const start = (payload: unknown) => {
  const data = readEntries(payload)
  const title = document.title
  const reader = Reader.make({ data, title })
  const search = Search.make({ items: reader.items, reveal: reader.revealMatch })
  const save = () => Download.save(data)
  const toggleFolds = () => reader.conversation.setFolds(!reader.conversation.isUnfolded())
  const shortcuts: ReadonlyArray<Help.Shortcut> = [
    { keys: ["/"], says: "Search; Enter and Shift+Enter go through the matches", run: search.focus },
    { keys: ["n", "N"], says: "Next and previous match", run: (key) => search.step(key === "n" ? 1 : -1) },
    { keys: ["j", "k"], says: "Next and previous message", run: (key) => reader.step(key === "j" ? 1 : -1) },
    { keys: ["g", "G"], says: "First and last message", run: (key) => reader.ends(key === "G") },
    { keys: ["[", "]"], says: "Previous and next branch", run: (key) => reader.turnOff(key === "]" ? 1 : -1) },
    { keys: ["e"], says: "Open or close all thinking and tool output", run: toggleFolds },
    { keys: ["o"], says: "Show or hide the outline", run: () => toggleOutline() },
    { keys: ["d"], says: "Download the session as a JSONL file", run: save },
    { keys: ["t"], says: "Light or dark", run: toggleTheme },
    { keys: ["?"], says: "This list", run: () => help.showModal() }
  ]
  const help = Help.dialog(shortcuts)
  Help.listen(shortcuts)

  const bar = h(
    "div",
    { class: "bar", role: "banner" },
    tool("Outline", "o", "outline", () => toggleOutline()),
    h("span", { class: "bar-title", dir: "auto" }, title),
    search.element,
    tool("Open or close everything", "e", "unfold", toggleFolds),
    tool("Download the session", "d", "download", save),
    tool("Light or dark", "t", "theme", toggleTheme),
    tool("Keyboard shortcuts", "?", "help", () => help.showModal())
  )
  const main = h("main", { class: "reading" }, reader.head, reader.conversation.element)
  const veil = button({ class: "veil", "aria-label": "Close the outline", tabindex: -1 }, () => toggleOutline(false))
  document.body.append(bar, h("div", { class: "frame" }, reader.outline.element, veil, main), help)
  const fit = () => toggleOutline(!narrow.matches)
  narrow.addEventListener("change", fit)
  fit()
  reader.outline.element.addEventListener("click", (event) => {
    if (narrow.matches && event.target instanceof Element && event.target.closest(".outline-row") !== null)
      toggleOutline(false)
  })
  follow(reader, main)
}

/** Keeps the outline at the item that is being read, and follows links to entries. */
const follow = (reader: ReturnType<typeof Reader.make>, main: HTMLElement) => {
  let asked = false
  const look = () => {
    asked = false
    const { left, width } = main.getBoundingClientRect()
    const seen = document.elementFromPoint(left + width / 2, 96)?.closest(".item")
    root.classList.toggle("scrolled", window.scrollY > 140)
    if (seen || window.scrollY === 0) reader.noticed(seen?.id ?? "")
  }
  document.addEventListener(
    "scroll",
    () => {
      if (asked) return
      asked = true
      setTimeout(() => requestAnimationFrame(look), lookEvery)
    },
    { passive: true }
  )
  const toHash = () => {
    const wanted = attempt(
      () => decodeURIComponent(location.hash.slice(1)),
      () => ""
    )
    if (wanted.startsWith(anchorOf(""))) reader.reveal(wanted.slice(anchorOf("").length))
  }
  window.addEventListener("hashchange", toHash)
  toHash()
}

const payload = decode(document.getElementById("session")?.textContent?.trim() ?? "")
if (payload === undefined) document.body.append(damaged())
else start(payload)
