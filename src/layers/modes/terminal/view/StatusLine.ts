/** The line below the prompt: model, thinking, context, tokens, cost, folder. Pure. */
import * as Text from "../../../../domain/Text.ts"
import { label, type Model, type ThinkingLevel } from "../../../../domain/model/Model.ts"
import * as TerminalText from "../../../machine/foreign/modules/TerminalText.ts"
import * as Rows from "../screen/Rows.ts"

export interface Status {
  readonly model: Model | undefined
  readonly thinkingLevel: ThinkingLevel
  /** Undefined where the window of the model is unknown, null where the context was not counted yet. */
  readonly contextPercent: number | null | undefined
  readonly tokens: number
  readonly cost: number
  readonly folder: string
}

export const amount = (count: number): string => {
  if (count < 1000) return String(count)
  return count < 1_000_000 ? `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k` : `${(count / 1_000_000).toFixed(1)}M`
}

export const money = (usd: number): string => `$${usd.toFixed(usd > 0 && usd < 0.1 ? 4 : 2)}`

const percent = (value: number | null | undefined): string => {
  if (value === undefined) return ""
  if (value === null) return "context ?"
  if (value > 0 && value < 0.1) return "context <0.1%"
  return `context ${value > 0 && value < 10 ? value.toFixed(1) : Math.round(value)}%`
}

interface Part {
  readonly text: string
  /** Parts with a low rank give way first on a narrow screen. */
  readonly rank: number
}

const partsOf = (status: Status): ReadonlyArray<Part> => [
  { text: status.model === undefined ? "no model" : Text.oneLine(label(status.model)), rank: 9 },
  { text: `thinking ${status.thinkingLevel}`, rank: 4 },
  { text: percent(status.contextPercent), rank: 8 },
  { text: `${amount(status.tokens)} tokens`, rank: 3 },
  { text: money(status.cost), rank: 6 },
  { text: Text.oneLine(status.folder), rank: 5 }
]

const between = " · "

export const render = (status: Status, width: number): string => {
  let parts = partsOf(status).filter(({ text }) => text !== "")
  const joined = () => parts.map(({ text }) => text).join(between)
  while (parts.length > 1 && TerminalText.cells(joined()) > width) {
    const lowest = Math.min(...parts.map(({ rank }) => rank))
    parts = parts.filter(({ rank }) => rank !== lowest)
  }
  return Rows.fit(joined(), width)
}
