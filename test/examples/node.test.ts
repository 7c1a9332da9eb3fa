import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "vitest"

const root = join(import.meta.dirname, "../..")

it("the example of a host runs on the node that is installed, which may be version 20", async () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-node-host-"))
  try {
    const script = join(folder, "host.ts")
    writeFileSync(
      script,
      `import { RpcProcess } from ${JSON.stringify(join(root, "examples/host/RpcProcess.ts"))}
const [command = "", ...args] = JSON.parse(process.argv[2] ?? "[]")
const heddle = new RpcProcess({ command, args, cwd: ${JSON.stringify(folder)}, onEvent: () => {}, onStderr: () => {} })
await heddle.ready
const { status } = await heddle.prompt("What is in this folder?")
const refused = await heddle.request("set_model", { provider: "x", modelId: "y" }).catch((error) => error.code)
console.log(JSON.stringify([status, refused, await heddle.close()]))
`
    )
    const built = await Bun.build({ entrypoints: [script], target: "node", outdir: folder, naming: "host.mjs" })
    assert.isTrue(built.success)
    const heddle = ["node", join(root, "bin/heddle.js"), "--mode", "rpc", "--no-session", "--offline"]
    const host = Bun.spawnSync(["node", join(folder, "host.mjs"), JSON.stringify(heddle)], {
      env: { PATH: process.env["PATH"] ?? "", HOME: folder }
    })
    assert.strictEqual(host.stderr.toString(), "")
    assert.deepStrictEqual(JSON.parse(host.stdout.toString()), ["completed", "model_not_found", 0])
  } finally {
    rmSync(folder, { recursive: true })
  }
}, 20_000)
