// Bundles typebox into src/layers/pi/modules/typebox/typebox.js, which serves the imports of extensions. With
// --check it only reports whether that file is stale. The file is committed, so that the package has no dependency for it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const root = join(import.meta.dir, "..")
const target = join(root, "src/layers/pi/modules/typebox/typebox.js")
const installed = join(root, "node_modules/typebox")
const subpaths = ["compile", "error", "format", "guard", "schema", "system", "type", "value"]

// Functions, so that the bundle evaluates only the parts that an extension imports. They share one copy of everything.
const entry = [
  `export const main = () => require(${JSON.stringify(join(installed, "build/index.mjs"))})`,
  ...subpaths.map(
    (name) => `export const ${name} = () => require(${JSON.stringify(join(installed, `build/${name}/index.mjs`))})`
  )
].join("\n")

/** The texts of errors in other languages are 130 KB. */
const englishOnly: Bun.BunPlugin = {
  name: "english-only",
  setup: ({ onLoad }) =>
    void onLoad({ filter: /[\\/]locale[\\/]_locale\.mjs$/ }, () => ({
      contents: 'export * from "./_config.mjs"\nexport * from "./en_US.mjs"',
      loader: "js"
    }))
}

const bundle = async () => {
  const folder = mkdtempSync(join(tmpdir(), "typebox-"))
  try {
    writeFileSync(join(folder, "entry.js"), entry)
    const { outputs } = await Bun.build({
      entrypoints: [join(folder, "entry.js")],
      target: "bun",
      format: "esm",
      minify: true,
      plugins: [englishOnly]
    })
    const [output] = outputs
    if (output === undefined) throw new Error("the bundler has no output for typebox")
    return (await output.text()).replace(/^\/\/ @bun.*\n/, "").trim()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const { version }: { version: string } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"))
const licence = readFileSync(join(installed, "license"), "utf8").trim()
const text = `/*! typebox ${version}, bundled by scripts/typebox.ts\n\n${licence}\n*/\n${await bundle()}\n`

const current = await Bun.file(target)
  .text()
  .catch(() => "")
if (process.argv.includes("--check")) {
  if (current !== text) console.error(`${target.slice(root.length + 1)} is stale: run bun scripts/typebox.ts`)
  process.exit(current === text ? 0 : 1)
}
writeFileSync(target, text)
console.log(`typebox ${version}: ${Math.round(text.length / 1024)} KB`)
