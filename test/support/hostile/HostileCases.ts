/** The list of what a hostile server does. Add a case here, and every suite that goes through the list has it. */
import * as Bodies from "./cases/Bodies.ts"
import * as Endless from "./cases/Endless.ts"
import * as Events from "./cases/Events.ts"
import * as Http from "./cases/Http.ts"
import * as Redirects from "./cases/Redirects.ts"
import type { HostileCase } from "./HostileCase.ts"

export const cases: ReadonlyArray<HostileCase> = [
  ...Events.cases,
  ...Bodies.cases,
  ...Http.cases,
  ...Redirects.cases,
  ...Endless.cases
]
