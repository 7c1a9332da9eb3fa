/** Runs all static checks side by side and shows the output of those that fail. Exits with 1 if any fails. */
export {} // top-level await needs a module
const steps: Record<string, ReadonlyArray<string>> = {
  types: ["tsc", "-p", "."],
  page: ["tsc", "-p", "src/layers/storage/export/viewer"],
  effect: ["effect-tsgo", "diagnostics", "--project", "tsconfig.json"],
  lint: ["oxlint", "--deny-warnings"],
  format: ["oxfmt", "--check"],
  house: ["bun", "scripts/house.ts"],
  docs: ["bun", "scripts/docs.ts", "--check"],
  blocks: ["bun", "scripts/docBlocks.ts"],
  viewer: ["bun", "scripts/viewer.ts", "--check"],
  typebox: ["bun", "scripts/typebox.ts", "--check"],
  licences: ["bun", "scripts/licenses.ts", "--check"],
  lockfile: ["bun", "scripts/lockfile.ts"]
}

const run = async (name: string, command: ReadonlyArray<string>) => {
  const began = performance.now()
  const child = Bun.spawn([...command], { stdin: "ignore", stdout: "pipe", stderr: "pipe" })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(`${code === 0 ? "ok    " : "FAILED"} ${name.padEnd(8)} ${seconds} s  ${command.join(" ")}`)
  if (code !== 0) console.log(`${out}${err}`.trimEnd().replace(/^/gm, "       "))
  return code
}

const codes = await Promise.all(Object.entries(steps).map(([name, command]) => run(name, command)))
process.exit(codes.every((code) => code === 0) ? 0 : 1)
