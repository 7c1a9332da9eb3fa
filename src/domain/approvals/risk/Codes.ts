/** What can go wrong, in words for programs, and how bad each is. */
import * as Schema from "effect/Schema"

export const RiskCode = Schema.Literal(
  "deletes_files",
  "writes_files",
  "outside_workspace",
  "network",
  "privilege",
  "git_history",
  "secrets",
  "unparsed_shell",
  "installs_packages",
  "runs_code",
  "processes",
  "settings",
  "unsandboxed"
)
export type RiskCode = typeof RiskCode.Type

export const RiskLevel = Schema.Literal("low", "medium", "high", "critical").annotations({
  identifier: "RiskLevel",
  description: "That of the worst code; `low` without any."
})
export type RiskLevel = typeof RiskLevel.Type

export const levels: Readonly<Record<RiskCode, RiskLevel>> = {
  deletes_files: "medium",
  writes_files: "medium",
  outside_workspace: "medium",
  network: "medium",
  privilege: "high",
  git_history: "medium",
  secrets: "high",
  unparsed_shell: "medium",
  installs_packages: "medium",
  runs_code: "medium",
  processes: "medium",
  settings: "high",
  unsandboxed: "high"
}

const order: ReadonlyArray<RiskLevel> = ["low", "medium", "high", "critical"]

/** The worst first; of equals, the one that was found first. */
export const sorted = (codes: Iterable<RiskCode>): ReadonlyArray<RiskCode> => {
  const rank = (code: RiskCode) => order.indexOf(levels[code])
  return [...new Set(codes)].toSorted((a, b) => rank(b) - rank(a))
}
