/** The single executable: it works alone, and takes nothing from the folder of a stranger that it runs in. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

const repo = resolve(import.meta.dirname, "../..")
const folder = mkdtempSync(join(tmpdir(), "heddle-binary-"))
const binary = join(folder, "bin/heddle")
const minute = 60_000

beforeAll(async () => {
  const build = Bun.spawn([process.execPath, join(repo, "scripts/buildBinary.ts"), binary], {
    cwd: repo,
    stdout: "pipe",
    stderr: "pipe"
  })
  const [err, code] = await Promise.all([build.stderr.text(), build.exited])
  assert.strictEqual(code, 0, err)
}, 2 * minute)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = async (args: ReadonlyArray<string>, cwd: string, frames: ReadonlyArray<object> = []) => {
  const child = Bun.spawn([binary, ...args], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, HEDDLE_AGENT_DIR: join(folder, "agent") },
    stdin: new Blob(frames.map((frame) => `${JSON.stringify(frame)}\n`)),
    stdout: "pipe",
    stderr: "pipe"
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out, err, code }
}

/** A folder that tries every way in which bun lets a project run code or set variables. */
const hostile = () => {
  const at = join(folder, "stranger")
  const put = (name: string, text: string) => {
    mkdirSync(join(at, name, ".."), { recursive: true })
    writeFileSync(join(at, name), text)
  }
  put("evil.ts", `require("node:fs").writeFileSync(${JSON.stringify(join(at, "ran"))}, "")`)
  put("bunfig.toml", `preload = ["./evil.ts"]\n[install]\nauto = "force"\n`)
  for (const name of [".env", ".env.local", ".env.production"])
    put(name, "EVIL=1\nANTHROPIC_API_KEY=sk-of-the-folder\nHEDDLE_AGENT_DIR=/nowhere\n")
  put("tsconfig.json", JSON.stringify({ compilerOptions: { paths: { "*": ["./evil.ts"] } } }))
  put("package.json", JSON.stringify({ name: "heddle", type: "module", imports: { "#x": "./evil.ts" } }))
  put("node_modules/effect/package.json", JSON.stringify({ name: "effect", main: "../../evil.ts" }))
  put("node_modules/typebox/package.json", JSON.stringify({ name: "typebox", main: "../../evil.ts" }))
  put("cloth.txt", "warp and weft")
  put("words.json", JSON.stringify({ turns: [{ steps: [call, environment, search] }] }))
  return at
}
const call = { toolCall: { name: "word_count", arguments: { path: "cloth.txt" } } }
/** ripgrep is not in it, and a pattern with repetition is searched in a thread. */
const search = { toolCall: { name: "grep", arguments: { pattern: "we[^ ]+t", path: "cloth.txt" } } }
const environment = { toolCall: { name: "bash", arguments: { command: "env | grep EVIL || echo nothing" } } }

describe("the executable", () => {
  it(
    "runs a session with tools and an extension, and nothing of a hostile folder",
    async () => {
      const stranger = hostile()
      const script = ["--model", "offline/script", "--set", "offline.scenario=words.json"]
      const extension = ["-e", join(repo, "examples/extensions/word-count.ts")]
      const { code, out } = await run(["--mode", "rpc", "--drain", "--no-session", ...script, ...extension], stranger, [
        { id: "1", type: "prompt", message: "Count" }
      ])
      assert.match(out, /"toolName":"word_count","result":\{"content":\[\{"type":"text","text":"cloth\.txt has 3 words/)
      assert.match(out, /"toolName":"bash","result":\{"content":\[\{"type":"text","text":"nothing\\n/)
      assert.match(out, /"toolName":"grep","result":\{"content":\[\{"type":"text","text":"cloth\.txt:1: warp and weft/)
      assert.strictEqual(code, 0)
      assert.isFalse(existsSync(join(stranger, "ran")))
      const listed = await run(["auth", "list"], stranger)
      assert.match(listed.out + listed.err, /^No keys found/)
      assert.isFalse(existsSync(join(stranger, "ran")))
    },
    minute
  )

  it(
    "says its version, and what is wrong with an option",
    async () => {
      assert.match((await run(["--version", "--verbose"], folder)).out, /^\d+\.\d+\.\d+\nbun .*, bundled\n$/)
      const { code, err } = await run(["--modd"], folder)
      assert.strictEqual(code, 1)
      assert.match(err, /--modd/)
    },
    minute
  )
})
