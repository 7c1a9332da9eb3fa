/** The client as another project gets it: compiled by tsc, used by strict TypeScript, with neither effect nor DOM in reach. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { assert, it } from "vitest"
import { node } from "../support/host/RealNode.ts"

const root = resolve(import.meta.dirname, "../..")
const tsc = join(root, "node_modules/.bin/tsc")

const consumer = `
import { CommandFailed, type CustomTool, type HeddleEvent, RpcClient } from "./lib/index.js"

const loom: CustomTool = {
  name: "loom",
  description: "d",
  parameters: { type: "object" },
  execute: async (args, { signal }) => (signal.aborted ? "" : JSON.stringify(args))
}
const client = new RpcClient({ args: ["--no-session", "--offline"], model: "offline/guide", customTools: [loom] })
const show = (event: HeddleEvent): string => {
  switch (event.type) {
    case "message_update":
      return event.assistantMessageEvent.type === "text_delta" ? event.assistantMessageEvent.delta : ""
    case "tool_execution_end":
      return String(event.isError)
    default:
      return ""
  }
}
let shown = ""
client.onEvent((event) => {
  shown += show(event)
})
await client.start()
const { text } = await client.promptAndWait("hello")
const model: string | undefined = (await client.getState()).model?.id
// @ts-expect-error: the level is one of a few
const refused = await client.setThinkingLevel(7).catch((error: unknown) => (error instanceof CommandFailed ? error.code : ""))
// @ts-expect-error: there is no such command
void client.request({ type: "no_such_command" }).catch(() => undefined)
await client.stop()
console.log(JSON.stringify([shown.endsWith(text), model, refused]))
`

const compile = (folder: string, options: object) => {
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options))
  const { exitCode, stdout } = Bun.spawnSync([tsc, "--pretty", "false", "-p", folder], { cwd: folder })
  assert.deepStrictEqual({ exitCode, out: stdout.toString() }, { exitCode: 0, out: "" })
}

it("compiles and runs in a strict project of node", () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-consumer-"))
  try {
    // Only the types of node are in reach.
    mkdirSync(join(folder, "node_modules/@types"), { recursive: true })
    for (const name of ["@types/node", "undici-types"])
      symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name))
    const strict = {
      target: "ES2023",
      lib: ["ES2023"],
      types: ["node"],
      module: "NodeNext",
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false
    }
    const built = join(folder, "package/lib")
    mkdirSync(join(folder, "package"), { recursive: true })
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
    const base = { ...strict, allowImportingTsExtensions: false, rewriteRelativeImportExtensions: true }
    const copy = join(folder, "src")
    Bun.spawnSync(["cp", "-r", join(root, "src/client"), copy])
    rmSync(join(copy, "effect"), { recursive: true })
    rmSync(join(copy, "generated/EffectCommands.ts"))
    compile(copy, { compilerOptions: { ...base, declaration: true, rootDir: ".", outDir: join(built, "client") } })

    const project = join(folder, "project")
    mkdirSync(project)
    symlinkSync(join(built, "client"), join(project, "lib"))
    symlinkSync(join(root, "bin"), join(folder, "package/bin"))
    writeFileSync(join(project, "host.ts"), consumer)
    compile(project, { compilerOptions: { ...strict, outDir: "out" }, files: ["host.ts"] })
    symlinkSync(join(built, "client"), join(project, "out/lib"))

    const env = { PATH: process.env["PATH"] ?? "", HOME: folder, HEDDLE_AGENT_DIR: folder }
    const host = Bun.spawnSync([node ?? "node", join(project, "out/host.js")], { cwd: project, env })
    assert.strictEqual(host.stderr.toString(), "")
    assert.deepStrictEqual(JSON.parse(host.stdout.toString()), [true, "guide", "invalid_params"])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}, 60_000)
