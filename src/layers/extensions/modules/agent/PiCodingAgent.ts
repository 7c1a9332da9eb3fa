/** The module `pi-coding-agent`. */
import { join } from "../../../platform/files/LocalPaths.ts"
import * as Programs from "../../../platform/modules/Programs.ts"
import * as Diff from "../../../tools/edit/Diff.ts"
import type { Holder } from "../HostBindings.ts"
import * as SessionManager from "../sessions/SessionManager.ts"
import * as SettingsManager from "../sessions/SettingsManager.ts"
import { stub } from "../Stubs.ts"
import { KeybindingsManager } from "../tui/Keybindings.ts"
import * as EventBus from "./EventBus.ts"
import * as Frontmatter from "./Frontmatter.ts"
import * as Guards from "./Guards.ts"
import * as Languages from "./Languages.ts"
import * as Screens from "./Screens.ts"
import * as SessionEntries from "./SessionEntries.ts"
import * as Skills from "./Skills.ts"
import * as ToolFactories from "./ToolFactories.ts"
import * as Truncation from "./Truncation.ts"

type Values = Readonly<Record<string, unknown>>

export const nested = (name: string) => stub(name, `${name}: nested sessions are not available in heddle`)

const nestedNames = [
  "AgentSession",
  "AgentSessionRuntime",
  "DefaultResourceLoader",
  "ExtensionRunner",
  "InteractiveMode",
  "RpcClient",
  "createAgentSession",
  "createAgentSessionFromServices",
  "createAgentSessionRuntime",
  "createAgentSessionServices",
  "createExtensionRuntime",
  "discoverAndLoadExtensions",
  "main",
  "runPrintMode",
  "runRpcMode"
]

interface Usage {
  readonly totalTokens?: number
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

const calculateContextTokens = ({ cacheRead, cacheWrite, input, output, totalTokens = 0 }: Usage): number =>
  totalTokens > 0 ? totalTokens : input + output + cacheRead + cacheWrite

const shouldCompact = (
  tokens: number,
  window: number,
  { enabled, reserveTokens }: { readonly enabled: boolean; readonly reserveTokens: number }
): boolean => enabled && tokens > window - reserveTokens

const compaction: Values = {
  DEFAULT_COMPACTION_SETTINGS: { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 },
  CURRENT_SESSION_VERSION: 3,
  calculateContextTokens,
  shouldCompact
}

const diffs: Values = {
  generateDiffString: (before: string, after: string) => Diff.make(before, after),
  generateUnifiedPatch: (path: string, before: string, after: string) =>
    `--- ${path}\n+++ ${path}\n${Diff.make(before, after).diff}`
}

const places = (holder: Holder): Values => {
  const { packageDir, version } = holder.get()
  const shell = () => holder.get().settings().shellPath
  return {
    VERSION: version,
    CONFIG_DIR_NAME: ".heddle",
    getAgentDir: () => holder.get().agentDir,
    getPackageDir: () => packageDir,
    getDocsPath: () => join(packageDir, "docs"),
    getExamplesPath: () => join(packageDir, "examples"),
    getReadmePath: () => join(packageDir, "README.md"),
    getShellConfig: (path = shell()) => ({ shell: path ?? Programs.find("bash"), args: ["-c"] }),
    copyToClipboard: Programs.copyToClipboard,
    readStoredCredential: (provider: string) => holder.get().credential(provider)
  }
}

const currentBindings = (tui: Values) => (): KeybindingsManager => {
  const get = tui["getKeybindings"]
  const bindings: unknown = typeof get === "function" ? get() : undefined
  return bindings instanceof KeybindingsManager ? bindings : new KeybindingsManager()
}

export const make = (holder: Holder, tui: Values): Values => {
  const { inertComponents, keyHints, ...screens } = Screens
  return {
    ...places(holder),
    ...compaction,
    ...diffs,
    ...Truncation,
    ...Frontmatter,
    ...EventBus,
    ...Guards,
    ...Languages,
    ...Skills,
    ...screens,
    ...inertComponents(),
    ...keyHints(currentBindings(tui)),
    ...SessionEntries.make(holder),
    ...ToolFactories.make(holder),
    SettingsManager: SettingsManager.make(holder),
    SessionManager: SessionManager.make(holder),
    ...Object.fromEntries(nestedNames.map((name) => [name, nested(name)]))
  }
}
