// Bundles src/cli.ts into dist/ with bytecode, and lists its inputs in a manifest, so that bin/heddle.js can tell a fresh
// bundle from a stale one. `--optional` (npm's prepare) turns a failure into a warning. `--if-stale` does nothing while
// the bundle is fresh.
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { join, relative, resolve, sep } from "node:path"
import { quietLogger } from "./quietLogger.ts"

const root = resolve(import.meta.dir, "..")
const dist = join(root, "dist")
const optional = process.argv.includes("--optional")
const attempts = 5

/** Path, size, time and content hash of one input of the bundle. */
type Input = readonly [path: string, size: number, mtimeMs: number, hash: string]

const describe = (path: string): Input => {
  const { mtimeMs, size } = statSync(join(root, path))
  return [path, size, mtimeMs, String(Bun.hash(readFileSync(join(root, path))))]
}

const sources = (): ReadonlyArray<Input> =>
  [
    ...readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/")),
    ...["package.json", "scripts/build.ts", "scripts/quietLogger.ts"].filter((path) => existsSync(join(root, path)))
  ]
    .toSorted()
    .map(describe)

/**
 * Modules with a bundle of their own, by package or file name. The process loads them on first use; in the main
 * bundle they would slow down every start. Code that they share with the main bundle is in both, so it must not keep state.
 * `bytecode`: none where a chunk is seldom loaded, because it is three times as large as the code; or the depth of nested
 * functions that get it, where most of the code is never called. `only`: the one export that is used.
 */
interface Late {
  readonly name: string
  readonly from: string
  readonly bytecode?: boolean | number
  readonly only?: string
}
const lazy: Record<string, Late> = {
  "@anthropic-ai/sdk/client": {
    name: "anthropic",
    from: "@anthropic-ai/sdk/client",
    bytecode: 2,
    only: "BaseAnthropic"
  },
  openai: { name: "openai", from: "openai", bytecode: 2 },
  "FullParse.ts": { name: "parse", from: "./src/layers/modes/cli/arguments/FullParse.ts", bytecode: false },
  "JsonSchema.ts": { name: "schema", from: "./src/rpc/JsonSchema.ts", bytecode: false },
  "ViewerAsset.ts": { name: "viewer", from: "./src/layers/storage/export/ViewerAsset.ts", bytecode: false },
  "RuleEngine.ts": { name: "rules", from: "./src/layers/session/modules/rules/RuleEngine.ts", bytecode: false },
  "Importable.ts": { name: "modules", from: "./src/layers/pi/modules/Importable.ts", bytecode: false },
  "typebox.js": { name: "typebox", from: "./src/layers/pi/modules/typebox/typebox.js", bytecode: false }
}

const bundle = (outdir: string, { bytecode = true, from, name, only }: Late) => {
  const whole = Bun.resolveSync(from, root)
  const part = join(root, `${name}.js`)
  return Bun.build({
    entrypoints: [only === undefined ? whole : part],
    files: only === undefined ? {} : { [part]: `export { ${only} } from ${JSON.stringify(whole)}` },
    outdir,
    root,
    naming: { entry: `${name}.[ext]` },
    target: "bun",
    format: "cjs",
    minify: true,
    bytecode: bytecode !== false,
    ...(typeof bytecode === "number" ? { bytecodeDepth: bytecode } : {}),
    metafile: true,
    define: { isHeddleBundle: "true" },
    plugins: [
      quietLogger,
      {
        name: "lazy",
        setup: ({ onResolve }) =>
          void onResolve({ filter: /^[@a-z.]/ }, ({ kind, path }) => {
            const isLate = kind === "dynamic-import" || kind === "require-call"
            const apart = isLate ? lazy[path.replace(/^\.{1,2}\/.*?([^/]+)$/, "$1")] : undefined
            return apart === undefined ? undefined : { path: `./${apart.name}.js`, external: true }
          })
      }
    ]
  })
}

const bundleAll = async (outdir: string) => {
  const made: Array<Bun.BuildOutput> = []
  for (const late of Object.values(lazy)) made.push(await bundle(outdir, late))
  made.push(await bundle(outdir, { name: "heddle", from: "./src/cli.ts" }))
  return made.flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}))
}

/** The packages that files of the bundle come from (scripts/licenses.ts). */
const packagesOf = (paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  [
    ...new Set(
      paths.flatMap((path) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path.split(sep).join("/"))?.[1] ?? [])
    )
  ].toSorted()

/** Moves the old folder away first, because a folder cannot replace one that has files. Retries if another build interferes. */
const install = (fresh: string) => {
  for (let left = attempts; ; left--) {
    if (existsSync(dist)) rename(dist, mkdtempSync(join(root, ".dist-")))
    if (rename(fresh, dist)) return
    if (left === 0) throw new Error("dist/ keeps being replaced by another build")
  }
}

const rename = (from: string, to: string) => {
  try {
    renameSync(from, to)
    return true
  } catch {
    return false
  } finally {
    if (to !== dist) rmSync(to, { recursive: true, force: true })
  }
}

const build = async (left = attempts): Promise<string> => {
  const fresh = mkdtempSync(join(root, ".dist-"))
  try {
    const before = sources()
    const bundledPaths = await bundleAll(fresh)
    // If a file changed while the bundler was reading, the bundle may hold its old text.
    if (JSON.stringify(before) !== JSON.stringify(sources())) {
      if (left > 0) return await build(left - 1)
      throw new Error("src/ kept changing during the build")
    }
    const bundled = new Set(bundledPaths.map((path) => relative(root, resolve(root, path))))
    const inputs = before.filter(([path]) => !path.startsWith("src/") || bundled.has(path.split("/").join(sep)))
    const size = statSync(join(fresh, "heddle.js")).size
    const packages = packagesOf(bundledPaths)
    writeFileSync(join(fresh, "manifest.json"), JSON.stringify({ bun: Bun.version, size, inputs, packages }))
    if (readFileSync(join(fresh, "heddle.js"), "utf8").includes(root))
      throw new Error("the bundle holds the path of this folder: is import.meta used in src?")
    const trial = Bun.spawnSync([process.execPath, join(fresh, "heddle.js"), "--version"], {
      cwd: root
    })
    if (!trial.success) throw new Error(`the bundle does not start: ${trial.stderr.toString().trim()}`)
    chmodSync(fresh, 0o755) // mkdtemp makes the folder private, but other users may start heddle
    install(fresh)
    return `dist/heddle.js ${Math.round(size / 1024)} KB from ${inputs.length} files`
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

const isFresh = (): boolean => {
  const manifest = join(dist, "manifest.json")
  if (!existsSync(manifest)) return false
  const { bun, inputs }: { bun: string; inputs: ReadonlyArray<Input> } = JSON.parse(readFileSync(manifest, "utf8"))
  const now = new Map(sources().map(([path, size, , hash]) => [path, `${size} ${hash}`]))
  return bun === Bun.version && inputs.every(([path, size, , hash]) => now.get(path) === `${size} ${hash}`)
}

if (process.argv.includes("--if-stale") && isFresh()) process.exit()

const started = performance.now()
await build().then(
  (made) => console.error(`build: ${made} in ${Math.round(performance.now() - started)} ms`),
  (error: unknown) => {
    console.error(error)
    console.error(
      optional ? "build: no bundle (see above); heddle will start from source, which is slower" : "build: failed"
    )
    process.exitCode = optional ? 0 : 1
  }
)
