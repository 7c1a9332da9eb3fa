/** A short run of each part of `npm run torture` (docs/reliability.md), always with the same seed; a failure says how to repeat it. */
import { assert, describe, it } from "vitest"
import { canHold } from "../support/sandbox/Confined.ts"
import * as Figures from "../support/torture/Figures.ts"
import * as Part from "../support/torture/Part.ts"
import * as Random from "../support/torture/Random.ts"
import { parts } from "../torture/parts.ts"

const seed = "15"

/** Where there is no sandbox, its part says on stderr that it is left out. */
const here = Object.entries(parts).filter(([name]) => name !== "sandbox" || canHold)

describe.skipIf(process.platform !== "linux")("torture", () => {
  it.each(here)(
    "%s",
    async (name, part) => {
      const figures = Figures.empty()
      const context = Part.context({ name, seed, bounds: part.bounds.short }, Random.make(seed).fork(name), figures)
      await part.run(context)
      assert.deepStrictEqual(figures.violations, [])
      assert.isAbove(figures.cases, 0)
    },
    60_000
  )
})
