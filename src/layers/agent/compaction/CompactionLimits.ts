/** The settings that say when a conversation is too long, as the policy wants them. */
import type { CompactionLimits } from "../../../domain/compaction/CompactionPolicy.ts"
import type { SettingsValues } from "../../../services/Settings.ts"

export const fromSettings = (settings: SettingsValues): CompactionLimits => ({
  reserveTokens: settings["compaction.reserveTokens"],
  keepRecentTokens: settings["compaction.keepRecentTokens"],
  thresholdPercent: settings["compaction.thresholdPercent"],
  thresholdTokens: settings["compaction.thresholdTokens"]
})
