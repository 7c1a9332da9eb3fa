/** The module `pi-tui`: real text functions, and components that never reach a terminal. */
import * as Components from "./Components.ts"
import * as Fuzzy from "./Fuzzy.ts"
import * as InertComponents from "./InertComponents.ts"
import * as Keybindings from "./Keybindings.ts"
import * as Keys from "./Keys.ts"
import * as TextFunctions from "./TextFunctions.ts"

type Values = Readonly<Record<string, unknown>>

/** A terminal that can show nothing but text. */
const capabilities = { images: null, trueColor: false, hyperlinks: false }

const terminal = (): Values => ({
  getCapabilities: () => capabilities,
  detectCapabilities: () => capabilities,
  setCapabilities: () => {},
  setCapabilityOverrides: () => {},
  resetCapabilitiesCache: () => {},
  getCellDimensions: () => ({ widthPx: 9, heightPx: 18 }),
  setCellDimensions: () => {},
  isKittyProtocolActive: () => false,
  setKittyProtocolActive: () => {},
  getNativeClipboard: () => undefined,
  isViewportTUI: () => false,
  isFocusable: (component: unknown) =>
    typeof component === "object" && component !== null && Object.hasOwn(component, "focused"),
  renderImage: () => null,
  renderFakeCursor: (text: string) => text,
  renderLatex: (text: string) => text,
  imageFallback: (mimeType: string) => `[${mimeType}]`
})

export const make = (): Values => ({
  ...terminal(),
  ...TextFunctions,
  ...Fuzzy,
  ...Keys,
  ...Keybindings.makeCurrent(),
  KeybindingsManager: Keybindings.KeybindingsManager,
  EditorKeybindingsManager: Keybindings.EditorKeybindingsManager,
  TUI_KEYBINDINGS: Keybindings.definitions,
  DEFAULT_EDITOR_KEYBINDINGS: Keybindings.editorKeys,
  CURSOR_MARKER: "\u001b_pi:c\u0007",
  Text: Components.Text,
  TruncatedText: Components.TruncatedText,
  Markdown: Components.Markdown,
  Container: Components.Container,
  Box: Components.Box,
  Spacer: Components.Spacer,
  ...InertComponents,
  HStack: class HStack extends InertComponents.Stack {},
  VStack: class VStack extends InertComponents.Stack {},
  TUI: InertComponents.Screen,
  TuiMainScreen: InertComponents.Screen,
  TuiAltScreen: InertComponents.Screen
})
