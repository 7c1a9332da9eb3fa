/** The tutorial docs/first-host.md, followed to the letter with node: its programs print what the page says. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, assert, beforeAll, it } from "vitest"

const root = resolve(import.meta.dirname, "../..")
const page = readFileSync(join(root, "docs/first-host.md"), "utf8")
const blocks = (language: string) =>
  [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .filter(([, name]) => name === language)
    .map(([, , code = ""]) => code)
const [program = "", offer = "", answer = ""] = blocks("js")
const [firstOutput = "", secondOutput = ""] = blocks("")
const [scenario = ""] = blocks("json")

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-first-host-"))
  mkdirSync(join(folder, "node_modules"))
  mkdirSync(join(folder, "home"))
  symlinkSync(root, join(folder, "node_modules/heddle"), "dir")
})
afterAll(() => rmSync(folder, { recursive: true }))

const run = (source: string, ...args: ReadonlyArray<string>) => {
  writeFileSync(join(folder, "host.mjs"), source)
  const env = { PATH: process.env["PATH"] ?? "", HOME: join(folder, "home") }
  const { exitCode, stderr, stdout } = Bun.spawnSync(["node", "host.mjs", ...args], { cwd: folder, env })
  return { exitCode, stderr: stderr.toString(), stdout: stdout.toString() }
}

it("the first program has 30 lines and prints the answer", () => {
  assert.strictEqual(program.trimEnd().split("\n").length, 30)
  writeFileSync(join(folder, "notes.txt"), "Buy milk.\n")
  assert.deepStrictEqual(run(program, "What does notes.txt say?"), { exitCode: 0, stderr: "", stdout: firstOutput })
}, 20_000)

it("the first program reports a prompt that is refused, and ends", () => {
  const stderr = 'prompt was refused: Invalid prompt command: "message" must not be empty without images\n'
  assert.deepStrictEqual(run(program, ""), { exitCode: 0, stderr, stdout: "" })
}, 20_000)

it("the second program has a tool, and the scenario calls it", () => {
  writeFileSync(join(folder, "clock.json"), scenario)
  const withTool = program
    .replace('send({ id: "1"', (line) => `${offer}${line}`)
    .replace("const receive = (frame) => {\n", (line) => `${line}${answer}`)
    .replace('"offline/guide"', '"offline/script", "--set", "offline.scenario=clock.json"')
  assert.isAbove(withTool.length, program.length + offer.length + answer.length)
  assert.deepStrictEqual(run(withTool), { exitCode: 0, stderr: "", stdout: secondOutput })
}, 20_000)
