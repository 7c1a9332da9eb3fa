/** The same set under the node of this machine, which may be version 20: src/client is transpiled and run there. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { assert, it } from "vitest"
import { cases } from "../support/client/CoreSet.ts"
import { node } from "../support/host/RealNode.ts"

const root = resolve(import.meta.dirname, "../..")

/** Runs all cases four at a time and prints what each ended with. A rejection that nobody handles goes to stderr. */
const script = `
import { cases, run } from ${JSON.stringify(join(root, "test/support/client/CoreSet.ts"))}
const names = Object.keys(cases)
const results: Record<string, string> = {}
process.on("unhandledRejection", (error) => console.error("unhandled", error))
const work = async () => {
  for (let name = names.shift(); name !== undefined; name = names.shift())
    results[name] = await run(name).then(() => "ok", (error) => String(error?.stack ?? error))
}
await Promise.all([work(), work(), work(), work()])
console.log(JSON.stringify(results))
`

it("all of it holds under node, without a listener or a rejection left over", async () => {
  assert.isDefined(node, "there is no node on PATH")
  const folder = mkdtempSync(join(tmpdir(), "heddle-client-node-"))
  try {
    const entry = join(folder, "set.ts")
    writeFileSync(entry, script)
    symlinkSync(join(root, "bin"), join(folder, "bin")) // the client finds heddle as in a package: lib/client, bin
    const built = await Bun.build({
      entrypoints: [entry],
      target: "node",
      outdir: join(folder, "lib/client"),
      naming: "set.mjs"
    })
    assert.isTrue(built.success)
    const child = Bun.spawn([node ?? "node", "--trace-warnings", join(folder, "lib/client/set.mjs")], {
      env: { PATH: process.env["PATH"] ?? "", HOME: folder },
      stdout: "pipe",
      stderr: "pipe"
    })
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    assert.deepStrictEqual({ code, err }, { code: 0, err: "" })
    assert.deepStrictEqual(JSON.parse(out), Object.fromEntries(Object.keys(cases).map((name) => [name, "ok"])))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}, 60_000)
