/** The parts of the suite, in the order in which they run. */
import type { Part } from "../support/torture/Part.ts"
import { part as folders } from "./folders/part.ts"
import { part as kills } from "./kills/part.ts"
import { part as providers } from "./providers/part.ts"
import { part as reader } from "./reader/part.ts"
import { part as schedules } from "./schedules/part.ts"
import { part as soak } from "./soak/part.ts"
import { part as wire } from "./wire/part.ts"

export const parts: Readonly<Record<string, Part>> = { wire, schedules, kills, providers, folders, reader, soak }
