/** What a model has to know about the machine to write commands for it. */
export const platform = (): string => `${process.platform} (${process.arch})`
