/** The options of approvals as settings: the modes, the words that stand for several settings, and rules. */
import * as Effect from "effect/Effect"
import type { SettingsSource } from "../../settings/SettingsMerge.ts"
import type { Mode } from "./Mode.ts"
import { type Given, StartupFailure } from "./OptionTable.ts"

/** Words that need a sandbox, which says whether it can be had. */
const sandboxed: ReadonlySet<string> = new Set(["auto", "read-only"])

const noSandbox = (word: string) =>
  new StartupFailure({
    code: "SANDBOX_UNAVAILABLE",
    message: `--approvals ${word} needs a sandbox, which this version of heddle does not have: use --approvals ask`
  })

/** The settings that options say, the last one on top. */
export const sources = Effect.fnUntraced(function* ({ values }: Given) {
  const found: Array<SettingsSource> = []
  const [word] = values.get("approvals") ?? []
  if (word !== undefined) {
    if (sandboxed.has(word)) return yield* noSandbox(word)
    const mode = word === "full" ? "off" : word
    found.push({ name: "--approvals", values: { "approvals.mode": mode } })
  }
  for (const name of ["allow", "ask", "deny"]) {
    const rules = values.get(name)
    if (rules !== undefined) found.push({ name: `--${name}`, values: { [`approvals.${name}`]: rules } })
  }
  return found
})

/**
 * What holds in a mode where neither options nor settings say otherwise: the only place that decides it. A person at the
 * terminal is asked about everything that is not known to be harmless. Where a sandbox can be enforced, the preset `auto` is to
 * take its place.
 */
export const initial = (mode: Mode, { values }: Given): SettingsSource | undefined =>
  mode === "interactive" && !values.has("approvals")
    ? { name: "the terminal", values: { "approvals.mode": "ask", "approvals.unasked": "harmless" } }
    : undefined
