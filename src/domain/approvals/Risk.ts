/** What can go wrong if an effect happens: codes, and the level of the worst of them. */
import * as Schema from "effect/Schema"
import { isHidden, isInWorkspace, type Subject } from "./Subject.ts"
import * as Match from "./Match.ts"

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

export const RiskLevel = Schema.Literal("low", "medium", "high", "critical")
export type RiskLevel = typeof RiskLevel.Type

export const Risk = Schema.Struct({ level: RiskLevel, codes: Schema.Array(RiskCode) })
export type Risk = typeof Risk.Type

const levels: Readonly<Record<RiskCode, RiskLevel>> = {
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

const codesOf = (subject: Subject): ReadonlyArray<RiskCode> => {
  switch (subject._tag) {
    case "Bash":
      return ["runs_code"]
    case "File": {
      const { places, real, tool } = subject
      const writes = tool === "write" || tool === "edit"
      const codes: Array<RiskCode> = writes ? ["writes_files"] : []
      if (!isInWorkspace(real, places)) codes.push("outside_workspace")
      if (isHidden(real, places)) codes.push("secrets")
      if (writes && places.settings.some((folder) => Match.isWithin(real, folder))) codes.push("settings")
      return codes
    }
    case "Named":
      return ["runs_code"]
    case "Other":
      return []
  }
}

/** The worst code stands first. */
export const of = (subject: Subject): Risk => {
  const rank = (code: RiskCode) => order.indexOf(levels[code])
  const codes = [...new Set(codesOf(subject))].toSorted((a, b) => rank(b) - rank(a))
  const [worst] = codes
  return { level: worst === undefined ? "low" : levels[worst], codes }
}
