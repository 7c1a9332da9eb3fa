/** The module `pi-coding-agent`. */
import { join } from "../../../machine/files/LocalPaths.ts"
import * as Programs from "../../../machine/foreign/modules/Programs.ts"
import * as Engine from "../../../machine/engine/Engine.ts"
import * as Diff from "../../../tools/edit/Diff.ts"
import type { Holder } from "../HostBindings.ts"
import * as SessionManager from "../sessions/SessionManager.ts"
import * as SettingsManager from "../sessions/SettingsManager.ts"
import { stub } from "../Stubs.ts"
import { KeybindingsManager } from "../tui/Keybindings.ts"
import * as EventBus from "./EventBus.ts"
import * as Guards from "./Guards.ts"
import * as Screens from "./Screens.ts"
import * as SessionEntries from "./SessionEntries.ts"
import * as Skills from "./Skills.ts"
import * as ToolFactories from "./ToolFactories.ts"
import * as Truncation from "./Truncation.ts"

const endings =
  "typescript ts tsx mts cts|javascript js jsx mjs cjs|python py|ruby rb|rust rs|go go|java java|kotlin kt|swift swift|" +
  "c c h|cpp cpp cc cxx hpp|csharp cs|php php|bash sh bash zsh|fish fish|powershell ps1|sql sql|html html htm|css css|" +
  "scss scss|sass sass|less less|json json|yaml yaml yml|toml toml|xml xml|markdown md markdown|dockerfile dockerfile|" +
  "makefile makefile|cmake cmake|lua lua|perl perl|r r|scala scala|clojure clj|elixir ex exs|erlang erl|haskell hs|" +
  "ocaml ml|vim vim|graphql graphql|protobuf proto|hcl tf hcl"

const languages = new Map(
  endings.split("|").flatMap((line) => {
    const [language = "", ...names] = line.split(" ")
    return names.map((name) => [name, language] as const)
  })
)

/** The language of a file by its ending, as highlighters name it. */
const getLanguageFromPath = (path: string): string | undefined =>
  languages.get(path.slice(Math.max(path.lastIndexOf("."), path.lastIndexOf("/")) + 1).toLowerCase())

const block = /^---[^\n]*\n([\s\S]*?\n)?---[^\n]*(?:\n|$)/

const split = (content: string) => {
  const text = content.replace(/^\uFEFF/, "").replaceAll(/\r\n?/g, "\n")
  const found = block.exec(text)
  return found === null ? { yaml: "", body: text } : { yaml: found[1] ?? "", body: text.slice(found[0].length).trim() }
}

/** Throws on front matter that is not YAML. */
const parseFrontmatter = (content: string): { readonly frontmatter: object; readonly body: string } => {
  const { body, yaml } = split(content)
  const parsed = yaml.trim() === "" ? undefined : Engine.parseYaml(yaml)
  return { frontmatter: typeof parsed === "object" && parsed !== null ? parsed : {}, body }
}

/** The YAML between two lines of dashes at the beginning of a Markdown file. */
const stripFrontmatter = (content: string): string => split(content).body

type Values = Readonly<Record<string, unknown>>

export const nested = (name: string) => stub(name, `${name}: nested sessions are not available in heddle`)

const nestedNames =
  "AgentSession AgentSessionRuntime DefaultResourceLoader ExtensionRunner InteractiveMode RpcClient " +
  "createAgentSession createAgentSessionFromServices createAgentSessionRuntime createAgentSessionServices " +
  "createExtensionRuntime discoverAndLoadExtensions main runPrintMode runRpcMode"

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

const environment = (holder: Holder): Values => {
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
    ...environment(holder),
    ...compaction,
    ...diffs,
    ...Truncation,
    parseFrontmatter,
    stripFrontmatter,
    ...EventBus,
    ...Guards,
    getLanguageFromPath,
    ...Skills,
    ...screens,
    ...inertComponents(),
    ...keyHints(currentBindings(tui)),
    ...SessionEntries.make(holder),
    ...ToolFactories.make(holder),
    SettingsManager: SettingsManager.make(holder),
    SessionManager: SessionManager.make(holder),
    ...Object.fromEntries(nestedNames.split(" ").map((name) => [name, nested(name)]))
  }
}
