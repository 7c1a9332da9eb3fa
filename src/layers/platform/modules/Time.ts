/** Times and ids for what extensions get, in the types that pi gives them. */

/** UUIDs that sort by their time: the given one in milliseconds, or the present. */
export const uuidv7 = (timestamp?: number): string =>
  timestamp === undefined ? Bun.randomUUIDv7() : Bun.randomUUIDv7("hex", timestamp)

/** Milliseconds. */
export const timestamp = (): number => Date.now()

/** ISO 8601. */
export const text = (): string => new Date().toISOString()

export const date = (iso: string): Date => new Date(iso)
