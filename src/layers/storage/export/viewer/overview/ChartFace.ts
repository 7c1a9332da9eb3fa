/** A chart with a cursor over its marks. The Tab key stops once, arrow keys move the cursor, Enter follows the mark. */
import { type Child, h, svg } from "../Dom.ts"

/** The inner width of all charts. They are stretched to fit. */
export const width = 720

export interface Mark {
  readonly entryId: string
  readonly says: string
  readonly from: number
  readonly to: number
}

export interface ChartOptions {
  readonly onChoose: (entryId: string) => void
}

export const chartFace = (
  name: string,
  marks: ReadonlyArray<Mark>,
  drawing: ReadonlyArray<Child>,
  tall: number,
  options: ChartOptions
) => {
  const cursor = svg("rect", { class: "cursor", y: 0, height: tall })
  const picture = svg(
    "svg",
    { viewBox: `0 0 ${width} ${tall}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    cursor,
    ...drawing
  )
  const readout = h("output", { class: "readout" })
  const element = h(
    "div",
    {
      class: "chart-face",
      tabindex: 0,
      role: "slider",
      "aria-label": name,
      "aria-valuemin": 1,
      "aria-valuemax": marks.length
    },
    picture
  )
  let at = 0
  const select = (next: number) => {
    at = Math.max(0, Math.min(marks.length - 1, next))
    const mark = marks[at]
    if (mark === undefined) return
    cursor.setAttribute("x", String(mark.from))
    cursor.setAttribute("width", String(Math.max(2, mark.to - mark.from)))
    element.setAttribute("aria-valuenow", String(at + 1))
    element.setAttribute("aria-valuetext", mark.says)
    readout.textContent = mark.says
    element.classList.add("chosen")
  }
  const leave = () => {
    element.classList.remove("chosen")
    readout.textContent = ""
  }
  const go = () => {
    const mark = marks[at]
    if (mark !== undefined) options.onChoose(mark.entryId)
  }
  element.addEventListener("pointermove", (event) => {
    const box = element.getBoundingClientRect()
    const x = ((event.clientX - box.left) / box.width) * width
    const found = marks.findIndex((mark) => x < mark.to)
    select(found < 0 ? marks.length - 1 : found)
  })
  element.addEventListener("pointerleave", leave)
  element.addEventListener("blur", leave)
  element.addEventListener("focus", () => select(at))
  element.addEventListener("click", go)
  const steps: Readonly<Record<string, () => number>> = {
    ArrowRight: () => at + 1,
    ArrowUp: () => at + 1,
    ArrowLeft: () => at - 1,
    ArrowDown: () => at - 1,
    Home: () => 0,
    End: () => marks.length - 1
  }
  element.addEventListener("keydown", (event) => {
    const step = steps[event.key]
    if (step !== undefined) select(step())
    else if (event.key === "Enter") go()
    else return
    event.preventDefault()
  })
  element.setAttribute("aria-valuenow", "1")
  element.setAttribute("aria-valuetext", marks[0]?.says ?? "")
  return { element, readout }
}
