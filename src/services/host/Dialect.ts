/** The vocabularies of host families (protocol.md 0), and the defaults of settings that go with them. */
import type { SettingsValues } from "../Settings.ts"

/** `superset` serves every family, and is what a host gets that asks for nothing. */
export const dialectNames = ["superset", "pi", "omp", "xcsh", "pisces", "pi-early", "xcsh-strict"] as const
export type DialectName = (typeof dialectNames)[number]

const defaults: { readonly [Name in DialectName]?: Partial<SettingsValues> } = {
  omp: { interruptMode: "immediate" },
  pisces: { interruptMode: "immediate", "task.isolation.mode": "worktree" },
  "pi-early": { interruptMode: "immediate", "compaction.reserveTokens": 20_000 }
}

/** The defaults of a dialect. */
export const settingsOf = (dialect: DialectName = "superset"): Partial<SettingsValues> => defaults[dialect] ?? {}
