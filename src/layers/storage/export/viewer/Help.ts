/** The keyboard shortcuts, and the dialog that lists them. */
import { button, h, icon } from "./Dom.ts"

export interface Shortcut {
  readonly keys: ReadonlyArray<string>
  readonly says: string
  readonly run: (key: string) => void
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement

export const listen = (shortcuts: ReadonlyArray<Shortcut>): void => {
  const byKey = new Map(shortcuts.flatMap((shortcut) => shortcut.keys.map((key) => [key, shortcut] as const)))
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
    const shortcut = byKey.get(event.key)
    if (shortcut === undefined) return
    event.preventDefault()
    shortcut.run(event.key)
  })
}

export const dialog = (shortcuts: ReadonlyArray<Shortcut>): HTMLDialogElement => {
  const element = h("dialog", { class: "help", "aria-label": "Keyboard shortcuts" })
  element.append(
    h(
      "header",
      {},
      h("h2", {}, "Keyboard"),
      button({ class: "icon-button", "aria-label": "Close" }, () => element.close(), icon("close"))
    ),
    h(
      "dl",
      {},
      ...shortcuts.map(({ keys, says }) =>
        h("div", {}, h("dt", {}, ...keys.map((key) => h("kbd", {}, key))), h("dd", {}, says))
      )
    )
  )
  element.addEventListener("click", (event) => (event.target === element ? element.close() : undefined))
  return element
}
