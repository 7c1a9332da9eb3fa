/** Every event of pi that heddle has. Handlers for other names are accepted and never called. */
import { observed } from "./Observed.ts"
import { runEvents } from "./RunEvents.ts"
import { sessionEvents } from "./SessionEvents.ts"
import type { Subscribe } from "./Mapping.ts"

const table: ReadonlyMap<string, Subscribe> = new Map(Object.entries({ ...sessionEvents, ...runEvents, ...observed }))

export const find = (name: string): Subscribe | undefined => table.get(name)

export const names: ReadonlyArray<string> = [...table.keys()]
