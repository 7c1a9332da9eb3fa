/** The client under bun. */
import { it } from "vitest"
import { cases, run } from "../support/client/CoreSet.ts"

it.each(Object.keys(cases))("%s", run)
