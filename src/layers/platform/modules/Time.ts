/** Times and ids for what extensions get, in the types that pi gives them. */

export { uuidv7 } from "../Engine.ts"

/** Milliseconds. */
export const timestamp = (): number => Date.now()

/** ISO 8601. */
export const text = (): string => new Date().toISOString()

export const date = (iso: string): Date => new Date(iso)
