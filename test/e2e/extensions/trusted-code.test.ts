/** What an answer about a project covers: every file that its extensions load, when it is loaded. */
import { existsSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import {
  at,
  dataOf,
  dialog,
  errors,
  notes,
  type Pipes,
  type Place,
  plays,
  type OpenOptions
} from "../../support/extensions/Pipes.ts"

const index = `
import { linked } from "./linked/z"
import dep from "dep"
import { named } from "esm-dep"
import { util } from "../../../src/util.ts"
import data from "./data.json"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { Type } from "@sinclair/typebox"

interface Later { readonly [name: string]: () => Promise<{ readonly value: string }> | { readonly value: string } }

const later: Later = {
  lazy: () => import("./lazy.ts"),
  required: () => require("./required.cjs"),
  package: () => require("late-dep"),
  commonJs: () => import("./common.cjs"),
  shared: () => import("shared-dep"),
  module: () => import("module-dep"),
  ending: () => require("./code.of-theirs"),
  beyond: () => import("../../../../" + ["beyond", "ts"].join(".")),
  computed: () => import("./" + ["computed", "ts"].join(".")),
  outside: () => import("../../../src/" + ["other", "ts"].join(".")),
  added: () => import("./" + ["added", "ts"].join(".")),
  linked: () => import("./linked/" + ["more", "ts"].join(".")),
  awayByPath: () => import(import.meta.dir + "/away/" + ["far", "ts"].join(".")),
  awayByAddress: () => import("file://" + import.meta.dir + "/away/" + ["far", "ts"].join(".")),
  awayRequired: () => require(import.meta.dir + "/away/" + ["far", "ts"].join(".")),
  awayResolved: () => createRequire(import.meta.url)(import.meta.dir + "/away/" + ["far", "ts"].join("."))
}

export default (pi) => {
  const all = [linked, dep.value, named, util, data.value, Type.String().type, readFileSync.length > 0]
  pi.registerCommand("all", { handler: (_, ctx) => ctx.ui.notify(all.join()) })
  pi.on("session_start", ({ reason }, ctx) => ctx.ui.notify("started: " + reason))
  pi.registerCommand("again", { handler: (_, ctx) => ctx.reload() })
  pi.registerCommand("load", { handler: async (name, ctx) => ctx.ui.notify((await later[name]()).value) })
}
`

const mark = (place: Place) => join(place.home, "ran")
const evil = (place: Place) => `;require("node:fs").writeFileSync(${JSON.stringify(mark(place))}, "")\n`

const files = {
  "work/.heddle/extensions/x/index.ts": index,
  "work/.heddle/extensions/x/data.json": '{"value":"json"}',
  "work/.heddle/extensions/x/lazy.ts": "export const value: string = 'lazy'\n",
  "work/.heddle/extensions/x/computed.ts": "export const value: string = 'computed'\n",
  "work/.heddle/extensions/x/required.cjs": "exports.value = 'required'\n",
  "work/.heddle/extensions/x/common.cjs": "exports.value = 'commonJs'\n",
  "work/.heddle/extensions/x/code.of-theirs": "exports.value = 'ending'\n",
  "work/lib/z.ts": "export const linked: string = 'z'\n",
  "work/lib/more.ts": "export const value: string = 'more'\n",
  "work/src/util.ts": "export { util } from './deep'\n",
  "work/src/deep.ts": "export const util: string = 'util'\n",
  "work/src/other.ts": "export const value = 'other'\n",
  "work/node_modules/dep/package.json": '{"name":"dep","main":"main.js"}',
  "work/node_modules/dep/main.js": "module.exports = { value: require('./inner') }\n",
  "work/node_modules/dep/inner.js": "module.exports = 'inner'\n",
  "work/node_modules/esm-dep/package.json": '{"name":"esm-dep","type":"module","exports":"./index.js"}',
  "work/node_modules/esm-dep/index.js": "export const named = 'named'\n",
  "work/node_modules/late-dep/package.json": '{"name":"late-dep","main":"main.js"}',
  "work/node_modules/late-dep/main.js": "exports.value = 'late'\n",
  "work/node_modules/shared-dep/package.json": '{"name":"shared-dep","main":"main.js"}',
  "work/node_modules/shared-dep/main.js":
    "exports.begun = true; const own = require('./own'); exports.value = own(); exports.own = own\n",
  "work/node_modules/shared-dep/own.js":
    "const main = require('./main'); module.exports = () => (main.begun ? 'shared' : 'apart')\n",
  "work/node_modules/module-dep/package.json": '{"name":"module-dep","type":"module","exports":"./index.js"}',
  "work/node_modules/module-dep/index.js":
    "import shared, { own } from 'shared-dep'\nexport const value = own === shared.own && 'module'\n"
}

const fill = (place: Place) => {
  for (const [name, content] of Object.entries(files)) place.put(name, content)
  symlinkSync("../../../lib", join(place.cwd, ".heddle/extensions/x/linked"))
}

type Start = (options?: OpenOptions) => Promise<Pipes>

const started = ({ message }: { readonly message?: unknown }) => String(message).startsWith("started: ")

/** Starts, and says yes. */
const trusting = async (start: Start) => {
  const pipes = await start()
  const { id } = await pipes.until(dialog("confirm"))
  pipes.host.send({ type: "extension_ui_response", id, confirmed: true })
  await pipes.until(started)
  return pipes
}

const command = async (pipes: Pipes, message: string) => {
  const frames = await pipes.prompt(message)
  await pipes.ask({ type: "get_state" })
  return { said: notes(frames), failed: errors(frames).map(([, , error]) => String(error)) }
}

const everything = "z,inner,named,util,json,string,true"

const targets = [
  "work/lib/z.ts",
  "work/src/util.ts",
  "work/src/deep.ts",
  "work/node_modules/dep/main.js",
  "work/node_modules/dep/inner.js",
  "work/node_modules/esm-dep/index.js",
  "work/node_modules/late-dep/main.js"
]

plays(
  "a change of anything that an extension imports is asked about and named before it runs",
  async (start, place) => {
    fill(place)
    const first = await trusting(start)
    assert.deepStrictEqual((await command(first, "/all")).said, [everything])
    await first.end()
    for (const target of targets) {
      const before = readFileSync(join(place.home, target), "utf8")
      place.put(target, before + evil(place))
      const pipes = await start()
      const { message } = await pipes.until(dialog("confirm"))
      assert.include(String(message), `Changed since you last decided: ${target.slice("work/".length)}.`)
      assert.strictEqual(dataOf(await pipes.ask({ type: "get_state" }), "trust"), "untrusted")
      await pipes.end()
      place.put(target, before)
    }
    assert.isFalse(existsSync(mark(place)))
    const again = await start()
    await again.until(started)
    assert.strictEqual(dataOf(await again.ask({ type: "get_state" }), "trust"), "trusted")
    assert.deepStrictEqual((await command(again, "/all")).said, [everything])
  }
)

plays("what is loaded later is compared, too: in the process of the answer and in the next", async (start, place) => {
  fill(place)
  for (const open of [() => trusting(start), () => start()]) {
    const pipes = await open()
    await pipes.until(started)
    assert.deepStrictEqual((await command(pipes, "/load computed")).said, ["computed"])
    for (const [name, file] of [
      ["lazy", "work/.heddle/extensions/x/lazy.ts"],
      ["required", "work/.heddle/extensions/x/required.cjs"],
      ["package", "work/node_modules/late-dep/main.js"]
    ] as const) {
      const before = readFileSync(join(place.home, file), "utf8")
      place.put(file, before + evil(place))
      const { failed, said } = await command(pipes, `/load ${name}`)
      assert.deepStrictEqual([said, failed.length], [[], 1])
      assert.include(
        failed[0],
        `${join(place.home, file)} was not loaded: it has changed since you trusted this project`
      )
      place.put(file, before)
      assert.deepStrictEqual((await command(pipes, `/load ${name}`)).said, [name === "package" ? "late" : name])
    }
    place.put("work/.heddle/extensions/x/added.ts", `export const value = 1${evil(place)}`)
    for (const name of ["outside", "linked", "added"]) {
      const { failed, said } = await command(pipes, `/load ${name}`)
      assert.deepStrictEqual([name, said, failed.length], [name, [], 1])
      assert.include(failed[0], "was not loaded: it was not there when you trusted this project")
    }
    assert.isFalse(existsSync(mark(place)))
    await pipes.end()
    rmSync(join(place.cwd, ".heddle/extensions/x/added.ts"))
  }
})

plays("packages and CommonJS that are imported after the start are compared then", async (start, place) => {
  fill(place)
  place.put("elsewhere/far.ts", `export const value = 1${evil(place)}`)
  symlinkSync(join(place.home, "elsewhere"), join(place.cwd, ".heddle/extensions/x/away"))
  const pipes = await trusting(start)
  for (const [name, file] of [
    ["commonJs", "work/.heddle/extensions/x/common.cjs"],
    ["shared", "work/node_modules/shared-dep/own.js"],
    ["module", "work/node_modules/module-dep/index.js"],
    ["ending", "work/.heddle/extensions/x/code.of-theirs"]
  ] as const) {
    const before = readFileSync(join(place.home, file), "utf8")
    place.put(file, before + evil(place))
    const { failed, said } = await command(pipes, `/load ${name}`)
    assert.deepStrictEqual([name, said, failed.length], [name, [], 1])
    assert.include(failed[0], `${join(place.home, file)} was not loaded: it has changed since you trusted this project`)
    place.put(file, before)
    assert.deepStrictEqual((await command(pipes, `/load ${name}`)).said, [name])
  }
  place.put("beyond.ts", `export const value = 1${evil(place)}`)
  assert.include((await command(pipes, "/load beyond")).failed[0], "beyond.ts was not loaded: it was not there")
  for (const name of ["awayByPath", "awayByAddress", "awayRequired", "awayResolved"])
    assert.include((await command(pipes, `/load ${name}`)).failed[0], "far.ts was not loaded: it was not there", name)
  assert.isFalse(existsSync(mark(place)))
})

plays("an extension that changed is not loaded by a reload", async (start, place) => {
  fill(place)
  const pipes = await trusting(start)
  await pipes.until(started)
  const file = "work/.heddle/extensions/x/index.ts"
  place.put(file, index + evil(place))
  const from = pipes.mark()
  await pipes.prompt("/again")
  const { error } = await pipes.until(({ type }) => type === "extension_error", from)
  assert.include(String(error), `${join(place.home, file)} was not loaded: it has changed`)
  assert.isFalse(existsSync(mark(place)))
  assert.isUndefined(at(dataOf(await pipes.ask({ type: "get_commands" })), "commands", 0))
})

plays(
  "an extension that -e names is loaded as it is saved, by a reload and by the next start",
  async (start, place) => {
    fill(place)
    await (await trusting(start)).end()
    const file = "work/.heddle/extensions/x/index.ts"
    const extensions = [join(place.cwd, ".heddle/extensions/x")]
    place.put(file, index.replaceAll("started: ", "started: second "))
    const pipes = await start({ extensions })
    assert.include((await pipes.until(started)).message, "second startup")
    place.put(file, index.replaceAll("started: ", "started: third "))
    const from = pipes.mark()
    await pipes.prompt("/again")
    assert.include((await pipes.until(started, from)).message, "third reload")
    assert.strictEqual(dataOf(await pipes.ask({ type: "get_state" }), "trust"), "trusted")
    assert.isUndefined(pipes.since(0).find(dialog("confirm")))
    assert.strictEqual(await pipes.end(), 0)
  }
)

plays(
  "--approve compares nothing, and an extension of -e in the project imports what it likes",
  async (start, place) => {
    fill(place)
    await (await trusting(start)).end()
    const tool = 'export default (pi) => pi.registerCommand("dev", { handler: (_, ctx) => ctx.ui.notify(value) })\n'
    place.put("work/dev/tool.ts", `import { value } from "../src/other.ts"\n${tool}`)
    const mixed = await start({ extensions: [join(place.cwd, "dev/tool.ts")] })
    await mixed.until(started)
    assert.deepStrictEqual((await command(mixed, "/dev")).said, ["other"])
    assert.deepStrictEqual((await command(mixed, "/all")).said, [everything])
    await mixed.end()
    const approved = await start({ args: ["--approve"] })
    await approved.until(started)
    assert.deepStrictEqual((await command(approved, "/load outside")).said, ["other"])
  }
)

plays("a project that lies below the agent folder is compared like any other", async (start, place) => {
  fill(place)
  const inside = { model: false, args: ["--model", "offline/guide"], env: { HEDDLE_AGENT_DIR: place.home } }
  const pipes = await trusting(() => start(inside))
  const file = "work/.heddle/extensions/x/required.cjs"
  const before = readFileSync(join(place.home, file), "utf8")
  place.put(file, before + evil(place))
  const { failed, said } = await command(pipes, "/load required")
  assert.deepStrictEqual([said, failed.length], [[], 1])
  assert.include(failed[0], "was not loaded: it has changed since you trusted this project")
  assert.include((await command(pipes, "/load outside")).failed[0], "was not loaded: it was not there")
  assert.isFalse(existsSync(mark(place)))
  place.put(file, before)
  assert.deepStrictEqual((await command(pipes, "/load required")).said, ["required"])
})
