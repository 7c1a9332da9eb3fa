/** Extensions import the host's modules from the source, from the bundle, and from a package that npm packed. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as ExportedNames from "../../src/layers/pi/modules/ExportedNames.ts"

const repo = resolve(import.meta.dirname, "../..")
const folder = realpathSync(mkdtempSync(join(tmpdir(), "heddle-modules-")))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const put = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const scopes = [
  ["@earendil-works", "pi"],
  ["@mariozechner", "pi"],
  ["@oh-my-pi", "omp"]
] as const

/** One import statement a module, with every name of it. */
const specifiers = [
  ...scopes.flatMap(([scope, family]) =>
    ExportedNames.paths(family).map((path) => [`${scope}/${path}`, [...ExportedNames.of(family, path)]] as const)
  ),
  ...ExportedNames.sinclairPaths.map(
    (path) => [`@sinclair/typebox${path === "." ? "" : `/${path}`}`, ExportedNames.ofSinclair(path)] as const
  )
]
const importAll = specifiers.map(
  ([specifier, names], n) =>
    `import { ${names.map((name) => `${name} as ${name}_${n}`).join(", ")} } from "${specifier}"`
)
const used = specifiers.map(([, names], n) => names.map((name) => `${name}_${n}`).join(", "))

const extension = join(folder, "extension/index.ts")

/** What the extension is to find out, the same wherever the modules come from. */
const expected = {
  names: specifiers.reduce((sum, [, names]) => sum + names.length, 0),
  text: ["hi"],
  sameInRequire: true,
  sameInHelper: true,
  sameInDependency: true,
  checks: [true, false],
  compiled: true,
  isBase: "Error: AuthStorage is not available in heddle",
  agentDir: "/home/ada/.heddle/agent",
  physical: "undefined"
}

const writeExtension = () => {
  put(join(folder, "extension/all.ts"), `${importAll.join("\n")}\nexport const all = [${used.join(",\n")}]\n`)
  put(join(folder, "extension/helper.ts"), 'export { Text } from "@mariozechner/pi-tui"\n')
  put(
    join(folder, "extension/old.cjs"),
    'exports.Text = require("@earendil-works/pi-tui").Text; exports.check = require("typebox/value").Check\n'
  )
  // Some packages ship a copy of pi. Two copies of a class would not know each other.
  put(
    join(folder, "extension/node_modules/@earendil-works/pi-tui/package.json"),
    '{ "name": "@earendil-works/pi-tui", "main": "index.js" }'
  )
  put(join(folder, "extension/node_modules/@earendil-works/pi-tui/index.js"), "exports.physical = true\n")
  put(
    join(folder, "extension/node_modules/dependency/package.json"),
    '{ "name": "dependency", "type": "module", "main": "index.js" }'
  )
  put(join(folder, "extension/node_modules/dependency/index.js"), 'export { Text } from "@earendil-works/pi-tui"\n')
  put(
    extension,
    `import { createRequire } from "node:module"
import * as tui from "@earendil-works/pi-tui"
import { AuthStorage, getAgentDir } from "@earendil-works/pi-coding-agent"
import { Type } from "typebox"
import { Value } from "typebox/value"
import { Compile } from "typebox/compile"
import { Text as dependency } from "dependency"
import { Text as helper } from "./helper.ts"
import { all } from "./all.ts"
class Mine extends AuthStorage {}
const attempt = () => { try { return new Mine() } catch (error) { return String(error) } }
export default async () => {
  const old = createRequire(import.meta.url)("./old.cjs")
  const schema = Type.Object({ name: Type.String() })
  return {
    names: all.length,
    text: new tui.Text("hi", 0, 0).render(2),
    sameInRequire: old.Text === tui.Text && typeof old.check === "function",
    sameInHelper: helper === tui.Text,
    sameInDependency: dependency === tui.Text,
    checks: [Value.Check(schema, { name: "x" }), Value.Check(schema, {})],
    compiled: Compile(schema).Check({ name: "x" }),
    isBase: attempt(),
    agentDir: getAgentDir(),
    physical: typeof tui.physical
  }
}
`
  )
}

/** Loads the extension in a process of its own. */
const load = (modules: string, root: string) => {
  const script = join(repo, "test/support/extensions/loadExtension.ts")
  const serving = join(root, "src/layers/machine/foreign/modules/VirtualModules.ts")
  const child = Bun.spawnSync([process.execPath, script, join(root, modules), serving, extension], { cwd: folder })
  if (!child.success) throw new Error(child.stderr.toString())
  const { facts }: { readonly facts: unknown } = JSON.parse(child.stdout.toString())
  return facts
}

describe("an extension that imports every name", { timeout: 60_000 }, () => {
  beforeAll(writeExtension)

  it("from the source", () => {
    assert.deepStrictEqual(load("src/layers/pi/modules/Importable.ts", repo), expected)
  })

  it("from the bundle", () => {
    assert.deepStrictEqual(load("dist/modules.js", repo), expected)
  })

  it("from a packed package, without what only developers install", () => {
    const packing = Bun.spawnSync(["npm", "pack", "--ignore-scripts", "--json", "--pack-destination", folder], {
      cwd: repo
    })
    const [{ filename }]: [{ readonly filename: string }] = JSON.parse(packing.stdout.toString())
    const installed = join(folder, "installed/node_modules/heddle")
    mkdirSync(installed, { recursive: true })
    Bun.spawnSync(["tar", "xzf", join(folder, filename), "-C", installed, "--strip-components=1"])
    // The dependencies of the package, as npm would install them beside it.
    symlinkSync(join(repo, "node_modules/effect"), join(folder, "installed/node_modules/effect"))
    assert.deepStrictEqual(load("dist/modules.js", installed), expected)
    assert.deepStrictEqual(load("src/layers/pi/modules/Importable.ts", installed), expected)
  })
})
