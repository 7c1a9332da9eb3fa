/** pi's own components and themes. Nothing draws them here; styles leave the text as it is. */
import { Container, Inert } from "../tui/Components.ts"
import { Editor } from "../tui/InertComponents.ts"
import { wrapTextWithAnsi } from "../tui/TextFunctions.ts"

const plain = (text: string): string => text

export class Theme {
  readonly name = "plain"
  fg(_color: string, text: string) {
    return text
  }
  bg(_color: string, text: string) {
    return text
  }
  style = plain
  bold = plain
  italic = plain
  underline = plain
  inverse = plain
  strikethrough = plain
  getFgAnsi() {
    return ""
  }
  getBgAnsi() {
    return ""
  }
  getColorMode() {
    return "truecolor"
  }
  getThinkingBorderColor() {
    return plain
  }
  getBashModeBorderColor() {
    return plain
  }
}

export class DynamicBorder extends Inert {
  readonly #color: (text: string) => string

  constructor(color: (text: string) => string = plain) {
    super(color)
    this.#color = color
  }

  override render(width: number): ReadonlyArray<string> {
    return [this.#color("─".repeat(Math.max(1, width)))]
  }
}

/** No key can be pressed, so the signal never aborts. */
export class BorderedLoader extends Container {
  readonly signal: AbortSignal = new AbortController().signal
  onAbort: (() => void) | undefined
}

export class CustomEditor extends Editor {
  readonly actionHandlers = new Map<string, () => void>()

  onAction(action: string, handler: () => void) {
    this.actionHandlers.set(action, handler)
  }
}

const named = (names: string): Readonly<Record<string, (text: string) => string>> =>
  Object.fromEntries(names.split(" ").map((name) => [name, plain]))

export const highlightCode = (code: string): Array<string> => code.split("\n")

const selectTheme = "selectedPrefix selectedText description scrollInfo noMatch"
const markdownTheme =
  "heading link linkUrl code codeBlock codeBlockBorder quote quoteBorder hr listBullet bold italic underline strikethrough"

export const getMarkdownTheme = () => ({ ...named(markdownTheme), highlightCode })
export const getSelectListTheme = () => named(selectTheme)
export const getSettingsListTheme = () => ({ ...named("label value description hint"), cursor: "→ " })
export const initTheme = () => {}
export const renderDiff = plain

/** The last lines of a text as they would be on a screen of this width. */
export const truncateToVisualLines = (
  text: string,
  maxVisualLines: number,
  width: number,
  paddingX = 0,
  keep: "start" | "end" = "end"
) => {
  const lines = text === "" ? [] : wrapTextWithAnsi(text, Math.max(1, width - 2 * paddingX))
  const skippedCount = Math.max(0, lines.length - maxVisualLines)
  const visualLines = keep === "start" ? lines.slice(0, maxVisualLines) : lines.slice(skippedCount)
  return { visualLines, skippedCount }
}

const components =
  "Armin AssistantMessage BashExecution BranchSummaryMessage CompactionSummaryMessage CustomMessage " +
  "ExtensionEditor ExtensionInput ExtensionSelector Footer LoginDialog ModelSelector OAuthSelector " +
  "SessionSelector SettingsSelector ShowImagesSelector SkillInvocationMessage ThemeSelector " +
  "ThinkingSelector ToolExecution TreeSelector UserMessage UserMessageSelector"

/** A class of its own for each name, because extensions ask with `instanceof`. */
export const inertComponents = (): Readonly<Record<string, unknown>> =>
  Object.fromEntries(components.split(" ").map((name) => [`${name}Component`, class extends Container {}]))

interface Bindings {
  readonly getKeys: (action: string) => ReadonlyArray<string>
}

export const keyHints = (current: () => Bindings) => {
  const keyText = (action: string) => current().getKeys(action).join("/")
  const keyHint = (action: string, description: string) => `${keyText(action)} ${description}`
  return {
    keyText,
    keyHint,
    rawKeyHint: (key: string, description: string) => `${key} ${description}`,
    appKey: keyText,
    editorKey: keyText,
    appKeyHint: (_bindings: unknown, action: string, description: string) => keyHint(action, description)
  }
}
