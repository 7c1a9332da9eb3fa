// Builds one executable with Bun inside: `bun scripts/buildBinary.ts [outfile]`, dist-binary/heddle unless given. It reads
// neither bunfig.toml nor .env nor tsconfig.json of the folder that it runs in. ripgrep is not in it.
import { mkdirSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { quietLogger } from "./quietLogger.ts"

const root = resolve(import.meta.dir, "..")
const outfile = resolve(process.argv[2] ?? join(root, "dist-binary/heddle"))

mkdirSync(dirname(outfile), { recursive: true })
const started = performance.now()
const { logs, success } = await Bun.build({
  entrypoints: [join(root, "src/cli.ts")],
  root,
  target: "bun",
  format: "esm",
  minify: true,
  bytecode: true,
  define: { isHeddleBundle: "true" },
  plugins: [quietLogger],
  compile: {
    outfile,
    autoloadBunfig: false,
    autoloadDotenv: false,
    autoloadPackageJson: false,
    autoloadTsconfig: false,
    execArgv: ["--no-install"]
  }
})
for (const log of logs) console.error(log)
if (!success) process.exit(1)
const trial = Bun.spawnSync([outfile, "--version"], { cwd: dirname(outfile) })
if (!trial.success) throw new Error(`the executable does not start: ${trial.stderr.toString().trim()}`)
const megabytes = Math.round(statSync(outfile).size / 1e6)
console.error(`build: ${outfile} ${megabytes} MB in ${Math.round(performance.now() - started)} ms`)
