/** Copied into a checkout of each build by run.ts, as a test file: plays the cases in a folder and writes what was answered. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import * as Golden from "../support/host/Golden.ts"

const folder = process.env["DIFFERENTIAL_CASES"] ?? "."

describe.concurrent("cases", () => {
  for (const name of readdirSync(folder)) it.effect(name, () => Golden.play(join(folder, name)), 300_000)
})
