/** `npm run package`: packs heddle, installs the tarball from the registry into a temporary prefix, and drives what is there. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

const repo = resolve(import.meta.dirname, "../..")
/** Megabytes on disk, of which Bun takes about 102. */
const largest = 135

const folder = mkdtempSync(join(tmpdir(), "heddle-install-"))
const failures: Array<string> = []
const check = (holds: boolean, what: string) => {
  console.log(`${holds ? "ok    " : "FAILED"} ${what}`)
  if (!holds) failures.push(what)
}

const run = async (command: ReadonlyArray<string>, cwd = folder, input = "") => {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...process.env, HEDDLE_AGENT_DIR: join(folder, "agent") },
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "pipe"
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out, err, code }
}

const must = async (command: ReadonlyArray<string>, cwd?: string) => {
  const done = await run(command, cwd)
  if (done.code !== 0) throw new Error(`${command.join(" ")} ended with ${done.code}\n${done.out}${done.err}`)
  return done
}

/** Only of a tarball does npm say that it does not run `prepare`. And a machine may have settings of its own. */
const isOurs = (line: string) => /^npm warn (?!install-scripts|Unknown )/.test(line)

const megabytes = async (path: string) => Number((await must(["du", "-sm", path])).out.split("\t")[0])

/** pip builds it from its folder in the package. */
const installClient = async (installed: string) => {
  const into = join(folder, "python")
  const pip = ["python3", "-m", "pip", "install", "--quiet", "--no-deps", "--target", into]
  const { err } = await must([...pip, join(installed, "python")])
  const version = await must(["python3", "-c", "import heddle_rpc; print(heddle_rpc.__version__)"], into)
  check(version.out.trim() !== "", `pip installs the Python client by its path${err === "" ? "" : ` (${err.trim()})`}`)
}

const drive = async (prefix: string) => {
  const heddle = join(prefix, "bin/heddle")
  const installed = join(prefix, "lib/node_modules/heddle")
  check((await run([heddle, "--version"])).code === 0, "heddle --version")
  const prompt = `${JSON.stringify({ id: "1", type: "prompt", message: "What is in this folder?" })}\n`
  const kept = join(folder, "kept.jsonl")
  const answered = await run([heddle, "--mode", "rpc", "--drain", "--session", kept], folder, prompt)
  check(/"type":"prompt_result".*"status":"completed"/.test(answered.out), "a prompt in rpc mode")
  writeFileSync(join(folder, "cloth.txt"), "warp and weft")
  const call = { toolCall: { name: "word_count", arguments: { path: "cloth.txt" } } }
  writeFileSync(join(folder, "words.json"), JSON.stringify({ turns: [{ steps: [call] }] }))
  const extension = ["-e", join(installed, "examples/extensions/word-count.ts")]
  const script = ["--model", "offline/script", "--set", "offline.scenario=words.json"]
  const rpc = [heddle, "--mode", "rpc", "--drain", "--no-session"]
  const counted = await run([...rpc, ...script, ...extension], folder, prompt)
  check(counted.out.includes("cloth.txt has 3 words"), "an extension")
  check((await run([heddle, "--export", kept, "page.html"])).code === 0, "a page of the session")
  check((await run([heddle, "auth", "list"])).code === 0, "heddle auth list")
  const [bun = ""] = readdirSync(join(installed, "node_modules/@oven"))
  const demo = await run([join(installed, "node_modules/@oven", bun, "bin/bun"), join(installed, "examples/demo.ts")])
  await installClient(installed)
  check(demo.code === 0 && demo.out.includes("cloth.txt"), "the demo")
}

try {
  await must(["npm", "pack", "--pack-destination", folder], repo)
  const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "")
  const prefix = join(folder, "prefix")
  const { err } = await must(["npm", "install", "-g", "--prefix", prefix, tarball])
  const warnings = err.split("\n").filter(isOurs)
  check(warnings.length === 0, `npm warns of nothing${warnings.map((line) => `\n       ${line}`).join("")}`)
  const size = await megabytes(prefix)
  const bun = await megabytes(join(prefix, "lib/node_modules/heddle/node_modules/@oven"))
  check(size <= largest, `${size} MB installed, at most ${largest}; Bun is ${bun} of them`)
  await drive(prefix)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exit(failures.length === 0 ? 0 : 1)
