/** Extensions work however heddle was started: from the bundle, from source, and from a package that npm packed. */
import { mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { notes, type Place, plays } from "../../support/extensions/Pipes.ts"
import { entry, root } from "../../support/host/HostProcess.ts"
import { node } from "../../support/host/RealNode.ts"

const extension = `import { Text } from "@earendil-works/pi-tui"
import { getAgentDir } from "@mariozechner/pi-coding-agent"
import { Type } from "typebox"
export default (pi) => {
  pi.registerTool({
    name: "shout",
    parameters: Type.Object({ text: Type.String() }),
    execute: async (_id, { text }) => ({ content: [{ type: "text", text: text.toUpperCase() }] })
  })
  pi.registerCommand("facts", {
    handler: (_args, ctx) => ctx.ui.notify([new Text("hi", 0, 0).render(2), getAgentDir() !== ""].join(" "))
  })
}
`

/** Unpacks what npm would publish, with the packages that it depends on beside it. */
const unpack = ({ home }: Place): string => {
  const packed = Bun.spawnSync(["npm", "pack", "--ignore-scripts", "--json", "--pack-destination", home], { cwd: root })
  const [{ filename }]: [{ readonly filename: string }] = JSON.parse(packed.stdout.toString())
  const modules = join(home, "installed/node_modules")
  const folder = join(modules, "heddle")
  mkdirSync(folder, { recursive: true })
  Bun.spawnSync(["tar", "xzf", join(home, filename), "-C", folder, "--strip-components=1"])
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (!name.startsWith(".")) symlinkSync(join(root, "node_modules", name), join(modules, name))
  }
  return join(folder, "bin/heddle.js")
}

const ways: ReadonlyArray<[string, (place: Place) => ReadonlyArray<string>]> = [
  ["from the bundle", () => [node ?? process.execPath, entry]],
  ["from source", () => [process.execPath, "--no-env-file", join(root, "src/cli.ts")]],
  ["from a package", (place) => [node ?? process.execPath, unpack(place)]]
]

describe("an extension runs", () => {
  for (const [name, command] of ways) {
    plays(name, async (start, place) => {
      const file = place.put("ext/index.ts", extension)
      assert.notInclude(dirname(file), root)
      const { call, end, prompt, since } = await start({ command: command(place), extensions: [file] })
      assert.deepInclude(await call("shout", { text: "hello" }), { text: "HELLO", isError: false })
      assert.deepInclude(await call("shout", {}), { isError: true })
      assert.deepStrictEqual(notes(await prompt("/facts")), ["hi true"])
      assert.isUndefined(since(0).find(({ type }) => type === "extension_error"))
      assert.strictEqual(await end(), 0)
    })
  }
})
