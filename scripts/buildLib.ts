// Builds lib/: JavaScript and declarations of src for programs on Node and for tsc. Bun takes the sources.
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { dirname, join, relative, resolve } from "node:path"

const root = resolve(import.meta.dir, "..")
const source = join(root, "src")
const lib = join(root, "lib")

const filesOf = (folder: string, ending: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath, entry.name))

/** `import text from "./file.md" with { type: "text" }` is Bun's. Elsewhere the text stands in the module. */
const inlineTexts = (module: string, from: string) => {
  const code = readFileSync(module, "utf8")
  const inlined = code.replaceAll(
    /^import (\w+) from "([^"]+)" with \{ type: "text" \};$/gm,
    (_, name: string, path: string) =>
      `const ${name} = ${JSON.stringify(readFileSync(join(dirname(from), path), "utf8"))};`
  )
  if (inlined !== code) writeFileSync(module, inlined)
}

const build = () => {
  const fresh = mkdtempSync(join(root, ".lib-"))
  try {
    const tsc = Bun.spawnSync(["tsc", "-p", "tsconfig.lib.json", "--outDir", fresh], { cwd: root })
    if (!tsc.success) throw new Error(`tsc failed\n${tsc.stdout}${tsc.stderr}`)
    for (const module of filesOf(fresh, ".js")) inlineTexts(module, join(source, relative(fresh, module)))
    for (const bundled of filesOf(join(source, "layers"), ".js"))
      copyFileSync(bundled, join(fresh, relative(source, bundled)))
    chmodSync(fresh, 0o755) // mkdtemp makes the folder private
    rmSync(lib, { recursive: true, force: true })
    renameSync(fresh, lib)
    return filesOf(lib, ".js").length
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

const started = performance.now()
const modules = build()
console.error(`build: lib/ with ${modules} modules in ${Math.round(performance.now() - started)} ms`)
