// Builds lib/ for programs on Node and for tsc: the declarations of src by tsc, and its modules bundled, with chunks for what
// is loaded late. Packages stay imports. Bun takes the sources.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"

const root = resolve(import.meta.dir, "..")
const source = join(root, "src")
const lib = join(root, "lib")

/** The sources that package.json exports. */
const exported = (): ReadonlyArray<string> => {
  const { exports }: { exports: Record<string, string | { bun: string }> } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8")
  )
  return Object.values(exports).flatMap((target) => (typeof target === "string" ? [] : [join(root, target.bun)]))
}

const configured = { extends: "./tsconfig.lib.json", files: exported().map((file) => relative(root, file)) }

const declare = async (outDir: string) => {
  const config = join(root, `.lib-${process.pid}.json`)
  try {
    await Bun.write(config, JSON.stringify(configured))
    const { stderr, stdout, success } = Bun.spawnSync(["tsc", "-p", config, "--outDir", outDir], { cwd: root })
    if (!success) throw new Error(`tsc failed\n${stdout}${stderr}`)
  } finally {
    rmSync(config, { force: true })
  }
}

const declarationOf = (path: string) => path.replace(/(\.d)?\.[jt]s$/, ".d.ts")

/** The declarations that those of the exports lead to. */
const reachable = (folder: string): ReadonlySet<string> => {
  const found = new Set<string>()
  const look = (file: string) => {
    if (found.has(file)) return
    found.add(file)
    for (const [, to = ""] of readFileSync(file, "utf8").matchAll(/\b(?:from |import\()"(\.[^"]+)"/g))
      look(declarationOf(join(dirname(file), to)))
  }
  for (const file of exported()) look(declarationOf(join(folder, relative(source, file))))
  return found
}

/** Most declarations are of modules that no exported type mentions. */
const prune = (folder: string) => {
  const kept = reachable(folder)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    if (entry.isFile() && !kept.has(file)) rmSync(file)
  }
}

/** Extensions are loaded with means that only Bun has. */
const withoutExtensions: Bun.BunPlugin = {
  name: "without-extensions",
  setup: ({ onResolve }) =>
    void onResolve({ filter: /\/pi\/Extensions\.ts$/ }, () => ({
      path: join(source, "layers/pi/NoExtensions.ts")
    }))
}

const frontMatter = /^---\n(.*?)\n---\n/s

/** Node has no YAML, so the front matter of the agents that come with heddle becomes JSON, which YAML includes. */
const plainAgents: Bun.BunPlugin = {
  name: "plain-agents",
  setup: ({ onLoad }) =>
    void onLoad({ filter: /\/agents\/bundled\/\w+\.md$/ }, async ({ path }) => {
      const text = await Bun.file(path).text()
      const yaml = frontMatter.exec(text)?.[1]
      if (yaml === undefined) throw new Error(`${path} has no front matter`)
      const json = JSON.stringify(Bun.YAML.parse(yaml))
      return { contents: text.replace(frontMatter, () => `---\n${json}\n---\n`), loader: "text" }
    })
}

const bundle = (outdir: string) =>
  Bun.build({
    entrypoints: [...exported()],
    outdir,
    root: source,
    naming: { entry: "[dir]/[name].js", chunk: "chunks/[name]-[hash].js" },
    target: "node",
    format: "esm",
    packages: "external",
    external: ["bun:*"],
    splitting: true,
    plugins: [plainAgents, withoutExtensions]
  })

const build = async () => {
  const fresh = mkdtempSync(join(root, ".lib-"))
  try {
    await declare(fresh)
    prune(fresh)
    const { outputs } = await bundle(fresh)
    chmodSync(fresh, 0o755) // mkdtemp makes the folder private
    rmSync(lib, { recursive: true, force: true })
    renameSync(fresh, lib)
    return outputs.length
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

const started = performance.now()
const modules = await build()
console.error(`build: lib/ with ${modules} modules in ${Math.round(performance.now() - started)} ms`)
