import { readdirSync } from "node:fs"
import { join } from "node:path"
import { it } from "@effect/vitest"
import * as Golden from "../support/Golden.ts"

const folder = import.meta.dirname

for (const name of readdirSync(folder).filter((file) => file.endsWith(".jsonl"))) {
  it.effect(name.replace(".jsonl", ""), () => Golden.play(join(folder, name)))
}
