/**
 * Renders Markdown. The parser escapes raw HTML, and its output is sanitised before it is added to the page. Images from
 * elsewhere become links, because the page loads nothing.
 */
import DOMPurify from "dompurify"
import { Marked } from "marked"
import { attempt } from "./Json.ts"
import { codeBlock } from "./Code.ts"
import { breakable, h } from "../Dom.ts"
import { type Leaf, leaf } from "../Parts.ts"

/** Longer texts are shown as they are. */
const mostCharacters = 200_000

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}
const escape = (text: string) => text.replaceAll(/[&<>"']/g, (char) => escapes[char] ?? "")

const isWeb = (href: string) => /^(https?:\/\/|mailto:)/i.test(href)
const anchor = (href: string, html: string) =>
  `<a href="${escape(href)}" target="_blank" rel="noopener noreferrer">${html}</a>`

const parser = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    html: ({ block, text }) => (block === true ? `<p>${escape(text.trimEnd())}</p>` : escape(text)),
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
    image: ({ href, raw, text }) => (isWeb(href) ? anchor(href, `Image: ${escape(text || href)}`) : escape(raw)),
    link({ href, raw, tokens }) {
      return isWeb(href) ? anchor(href, this.parser.parseInline(tokens)) : escape(raw)
    }
  }
})

const tags = "p br hr strong em del code pre blockquote ul ol li a h1 h2 h3 h4 h5 h6 table thead tbody tr th td".split(
  " "
)

const sanitise = (html: string) =>
  DOMPurify.sanitize(html, {
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: ["href", "target", "rel", "class", "start", "align"],
    ALLOWED_URI_REGEXP: /^(https?:\/\/|mailto:)/i,
    ADD_URI_SAFE_ATTR: ["target", "rel", "start", "align"],
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    RETURN_DOM_FRAGMENT: true
  })

const languageOf = (code: Element) => /^language-(\S+)/.exec(code.className)?.[1]?.toLowerCase()

const dressCode = (root: DocumentFragment) => {
  for (const code of root.querySelectorAll("pre > code")) {
    const language = languageOf(code)
    const text = (code.textContent ?? "").replace(/\n$/, "")
    const block = codeBlock(text, { language, label: language === undefined ? "Code" : `Code, ${language}` })
    if (language !== undefined) block.dataset["language"] = language
    code.parentElement?.replaceWith(block)
  }
}

const dressNames = (root: DocumentFragment) => {
  for (const code of root.querySelectorAll(":not(pre) > code")) {
    const name = h("code", {}, ...breakable(code.textContent ?? ""))
    code.replaceWith(name)
  }
}

const dressTables = (root: DocumentFragment) => {
  for (const table of root.querySelectorAll("table")) {
    const frame = h("div", { class: "table-frame" })
    table.replaceWith(frame)
    frame.append(table)
  }
}

const render = (text: string): Node => {
  const html = parser.parse(text, { async: false })
  const root = sanitise(html)
  dressNames(root)
  dressCode(root)
  dressTables(root)
  return root
}

const inlineTags = new Set(["a", "strong", "em", "del", "code"])
const entities = new Map(Object.entries(escapes).map(([char, entity]) => [entity, char]))

/** The browser knows the other two thousand. */
const decode = (entity: string): string => {
  const known = entities.get(entity) ?? sanitise(entity).textContent ?? ""
  entities.set(entity, known)
  return known
}

/** The text as it is shown, without drawing it. Every `<` in the output of the parser begins a tag. */
const shownText = (text: string): string =>
  parser
    .parse(text, { async: false })
    .replaceAll("\0", "")
    .replaceAll(/<\/?([a-z0-9]+)[^>]*>/g, (_, tag: string) => (inlineTags.has(tag) ? "" : "\n"))
    .replaceAll(/&#?\w+;/g, decode)

const prose = (text: string): HTMLElement => {
  const plain = () => codeBlock(text, { label: "Text" })
  if (text.length > mostCharacters) return plain()
  return attempt(() => h("div", { class: "prose", dir: "auto" }, render(text)), plain)
}

/** Markdown as a part of an item. */
export const prosePart = (text: string): Leaf =>
  leaf(
    () =>
      text.length > mostCharacters
        ? text
        : attempt(
            () => shownText(text),
            () => text
          ),
    () => prose(text)
  )
