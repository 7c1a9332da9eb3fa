/** The HostUi of a terminal: questions in the place of the prompt, notices above it, states below it. */
import * as Effect from "effect/Effect"
import { type Ui, UiSwitch, type Widget } from "../../../services/host/HostUi.ts"
import * as InProcessUi from "../../host/InProcessUi.ts"
import type { Dialogs } from "../input/Dialogs.ts"
import type { Notice } from "../view/Notices.ts"

export interface UiParts {
  readonly dialogs: Dialogs
  readonly notify: (level: Notice["level"], text: string) => void
  readonly changed: () => void
  readonly setText: (text: string) => void
}

export interface TerminalUi {
  readonly ui: Ui
  /** What extensions show in the status line, by key. */
  readonly states: () => ReadonlyArray<string>
  readonly widgets: (placement: "aboveEditor" | "belowEditor") => ReadonlyArray<string>
}

const mostWidgetRows = 5

/** Questions of the process come here until the scope closes. */
export const connect = Effect.fnUntraced(function* ({ changed, dialogs, setText, notify }: UiParts) {
  const states = new Map<string, string>()
  const widgets = new Map<string, Widget>()
  const change = <A>(map: Map<string, A>, key: string, value: A | undefined) =>
    Effect.sync(() => {
      if (value === undefined) map.delete(key)
      else map.set(key, value)
      changed()
    })
  const ui = yield* InProcessUi.make({
    ...dialogs.ui,
    notify: ({ level = "info", message }) => Effect.sync(() => notify(level, message)),
    setStatus: (key, text) => change(states, key, text),
    setWidget: (widget) => change(widgets, widget.key, widget.lines === undefined ? undefined : widget),
    setEditorText: (text) => Effect.sync(() => setText(text))
  })
  yield* Effect.flatMap(UiSwitch, ({ connect }) => connect(ui))
  return {
    ui,
    states: () => [...states.values()],
    widgets: (placement) =>
      [...widgets.values()]
        .filter((widget) => (widget.placement ?? "aboveEditor") === placement)
        .flatMap(({ lines = [] }) => lines.slice(0, mostWidgetRows))
  } satisfies TerminalUi
})
