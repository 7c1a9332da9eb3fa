/** Images of the session. Only types that cannot contain scripts. */
import { button, h } from "../Dom.ts"
import * as Format from "../text/Format.ts"
import { blocksOf } from "./Items.ts"
import { type JsonRecord, text } from "../text/Json.ts"
import { decoration, type Part } from "../Parts.ts"

const drawable = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"])
const isBase64 = (data: string) => /^[A-Za-z0-9+/]+={0,2}$/.test(data)

const picture = (block: JsonRecord) => {
  const type = text(block["mimeType"])
  const data = text(block["data"]).replaceAll(/\s/g, "")
  if (!drawable.has(type) || !isBase64(data)) {
    const size = Format.bytes(Math.floor((data.length * 3) / 4))
    return h("p", { class: "empty" }, `Image that cannot be shown (${type || "unknown type"}, ${size})`)
  }
  const alt = `Image, ${type.slice("image/".length).toUpperCase()}`
  // Not lazy: the data is in the page already, and items are built when they come near the window.
  const image = h("img", { src: `data:${type};base64,${data}`, alt, decoding: "async" })
  const frame = button(
    { class: "picture", title: "Larger or smaller", "aria-pressed": "false" },
    () => frame.setAttribute("aria-pressed", String(frame.classList.toggle("large"))),
    image
  )
  return frame
}

/** One part for all images of a message, or none. */
export const images = (content: unknown): ReadonlyArray<Part> => {
  const found = blocksOf(content).filter((block) => block["type"] === "image")
  return found.length === 0 ? [] : [decoration(() => h("div", { class: "pictures" }, ...found.map(picture)))]
}
