import { readdirSync } from "node:fs"
import { join } from "node:path"
import { it } from "@effect/vitest"
import * as Golden from "../support/host/Golden.ts"

const folder = import.meta.dirname

for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".jsonl"))) {
  it.effect(name.replace(".jsonl", ""), () => Golden.play(join(folder, name)))
}
