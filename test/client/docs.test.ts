/** The host of docs/clients.md runs under node as it stands on the page. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { assert, it } from "vitest"
import { node } from "../support/host/RealNode.ts"

const root = resolve(import.meta.dirname, "../..")

it("the host in thirty lines answers without a key", async () => {
  const host = /```js\n([^]*?)```/.exec(readFileSync(join(root, "docs/clients.md"), "utf8"))?.[1] ?? ""
  assert.isAtMost(host.split("\n").length, 36)
  const folder = mkdtempSync(join(tmpdir(), "heddle-first-host-"))
  try {
    // A project that depends on heddle, with the client as its package will have it.
    const installed = join(folder, "node_modules/heddle")
    mkdirSync(installed, { recursive: true })
    symlinkSync(join(root, "bin"), join(installed, "bin"))
    writeFileSync(
      join(installed, "package.json"),
      JSON.stringify({ name: "heddle", type: "module", exports: { "./client": "./lib/client/index.js" } })
    )
    const built = await Bun.build({
      entrypoints: [join(root, "src/client/index.ts")],
      target: "node",
      outdir: join(installed, "lib/client")
    })
    assert.isTrue(built.success)
    writeFileSync(join(folder, "host.mjs"), host)
    writeFileSync(join(folder, "loom.txt"), "warp and weft\n")
    const { exitCode, stderr, stdout } = Bun.spawnSync([node ?? "node", "host.mjs"], {
      cwd: folder,
      env: { PATH: process.env["PATH"] ?? "", HOME: folder, HEDDLE_AGENT_DIR: folder }
    })
    assert.deepStrictEqual({ exitCode, err: stderr.toString() }, { exitCode: 0, err: "" })
    assert.match(stdout.toString(), /\[ls \{"path":"\."\}\][^]*loom\.txt[^]*\ncompleted\n$/)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}, 30_000)
