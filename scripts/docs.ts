/**
 * Writes docs/rpc.md, docs/rpc.schema.json and the schema hash, docs/settings.md and docs/settings.schema.json, and the
 * types of both clients. With --check it only reports which of them are stale.
 */
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Docs from "../src/rpc/Docs.ts"
import * as JsonSchema from "../src/rpc/JsonSchema.ts"
import * as ClientTypes from "./clientTypes.ts"
import * as PythonTypes from "./pythonTypes.ts"
import * as Settings from "./settings.ts"

const root = join(import.meta.dir, "..")
const all = JsonSchema.part("all")
const schema = `${JSON.stringify(all, null, 2)}\n`
const hash = `sha256:${createHash("sha256").update(schema).digest("hex").slice(0, 16)}`

const files = {
  ...ClientTypes.files(),
  "docs/rpc.md": Docs.render(),
  "docs/rpc.schema.json": schema,
  "docs/settings.md": Settings.page(),
  "docs/settings.schema.json": Settings.schema(),
  "python/heddle_rpc/commands.py": PythonTypes.commands(all),
  "python/heddle_rpc/protocol.py": PythonTypes.protocol(all),
  "src/rpc/protocol/schemaHash.ts": `/** Written by \`npm run docs\`: the hash of docs/rpc.schema.json, so that \`ready\` need not compute it. */
export const schemaHash = "${hash}"
`
}

const current = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

const stale = Object.entries(files).filter(([name, text]) => current(join(root, name)) !== text)
if (process.argv.includes("--check")) {
  for (const [name] of stale) console.error(`${name} is stale: run npm run docs`)
  process.exit(stale.length === 0 ? 0 : 1)
}
for (const [name, text] of stale) {
  writeFileSync(join(root, name), text)
  console.log(`wrote ${name}`)
}
