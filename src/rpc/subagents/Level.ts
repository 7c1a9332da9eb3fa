/** How much a host wants to hear of subagents (supplement 1.3). */

/** `progress` adds the frames of the omp family, `events` also those of the subagents' own sessions. */
export const levels = ["off", "progress", "events"] as const
export type Level = (typeof levels)[number]

export const isLevel = (value: unknown): value is Level => levels.some((level) => level === value)
