/** examples/demo.ts as a person starts it: a real process that starts a real heddle. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterEach, assert, describe, it } from "vitest"

const demo = resolve(import.meta.dirname, "../../examples/demo.ts")

const folders: Array<string> = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const emptyFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-demo-"))
  folders.push(folder)
  return folder
}

/** Something the demo can find out about. */
const project = (files: Readonly<Record<string, string>>) => {
  const folder = emptyFolder()
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return folder
}

/** With a home of its own, so that the settings and keys of whoever runs the tests stay out of it. */
const start = (folder: string, args: ReadonlyArray<string>, env: Record<string, string> = {}) =>
  Bun.spawn([process.execPath, demo, ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: emptyFolder(), ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe"
  })

const run = async (folder: string, args: ReadonlyArray<string>, env?: Record<string, string>) => {
  const child = start(folder, args, env)
  const [code, out, err] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()])
  return { code, out, err }
}

const script = ["--model", "offline/script", "--set", "offline.scenario=scenario.json", "--"]

describe("the demo", () => {
  it("asks about the folder and shows the answer, plain when piped", async () => {
    const folder = project({ "README.md": "# Weaving mill\n", "loom.txt": "warp and weft\n" })
    const { code, err, out } = await run(folder, [])
    assert.strictEqual(code, 0, err)
    assert.match(out, /^> What is in this folder\?\n/)
    assert.include(out, '▸ ls path="."\n  loom.txt\n  README.md\n')
    assert.include(out, "# Weaving mill")
    assert.include(out, "This folder has 2 files")
    assert.match(out, /\noffline\/guide · \d+ model calls · \d+ tokens in, \d+ out · \$0\.0000\n$/)
    assert.notInclude(out, "\u001b")
  })

  it("answers the calls of its own tools, and tells the model when there is none", async () => {
    const scenario = resolve(import.meta.dirname, "../../examples/scenarios/host-tools.json")
    const { code, err, out } = await run(emptyFolder(), [
      "--model",
      "offline/script",
      "--set",
      `offline.scenario=${scenario}`,
      "--",
      "go"
    ])
    assert.strictEqual(code, 0, err)
    assert.strictEqual(out.split("nothing is open, nothing is selected").length, 3)
    assert.include(out, "Tool show_diff not found")
  })

  it("leaves no session behind unless one is asked for", async () => {
    const [folder, agentDir] = [project({ "loom.txt": "warp\n" }), emptyFolder()]
    await run(folder, ["hello"], { HEDDLE_AGENT_DIR: agentDir })
    assert.deepStrictEqual(readdirSync(agentDir), [])
    await run(folder, ["--session", "kept.jsonl", "--", "hello"], { HEDDLE_AGENT_DIR: agentDir })
    assert.isTrue(existsSync(join(folder, "kept.jsonl")))
  })

  it("sends the words it is given, and obeys NO_COLOR", async () => {
    const folder = project({ "loom.txt": "warp and weft\n" })
    const { code, out } = await run(folder, ["What", "is", "in", "loom.txt?"], { NO_COLOR: "1", FORCE_COLOR: "1" })
    assert.strictEqual(code, 0)
    assert.match(out, /^> What is in loom\.txt\?\n/)
    assert.include(out, "warp and weft")
    assert.notInclude(out, "\u001b")
  })

  it("shows why heddle did not start", async () => {
    const { code, err, out } = await run(project({}), ["--bogus"])
    assert.strictEqual(code, 1)
    assert.strictEqual(out, "")
    assert.include(err, "unknown option, or an option without its value: --bogus")
    assert.include(err, "demo: the process ended with exit code 1\n")
  })

  it("shows the error of a failed prompt and ends with 1", async () => {
    const fail = { reason: "quota", message: "Too many weavers", httpStatus: 429 }
    const folder = project({ "scenario.json": JSON.stringify({ turns: [{ steps: [{ fail }] }], atEnd: "stay" }) })
    const { code, out } = await run(folder, [...script, "hi"])
    assert.strictEqual(code, 1)
    assert.include(out, "error: Too many weavers (offline/script, HTTP 429)\n")
  })

  it("aborts on SIGINT, shows it, and ends with 130", async () => {
    const steps = [{ text: "I was about to", chunk: 100, cutOff: true }, { hang: true }]
    const folder = project({ "scenario.json": JSON.stringify({ turns: [{ steps }] }) })
    const child = start(folder, [...script, "hi"])
    let out = ""
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      if (!out.includes("about to") && (out + chunk).includes("about to")) child.kill("SIGINT")
      out += chunk
    }
    assert.strictEqual(await child.exited, 130)
    assert.match(out, /I was about to\n\naborted\n/)
  })
})
