/** Programs of embedders compile against the packed tarball and run with it, on Node and on Bun. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Python from "../support/host/Python.ts"
import * as Processes from "../support/host/Processes.ts"
import * as Packed from "../support/package/Packed.ts"

const minutes = 60_000
let packed: Packed.Packed
beforeAll(async () => {
  packed = await Packed.pack()
}, 3 * minutes)
afterAll(() => packed?.remove())

/** What docs/package.md tells an embedder to add, and what compiles and tests its program. */
const added = ["effect", "@anthropic-ai/sdk", "@types/node", "undici-types", "typescript", "vitest"]

const strict = {
  target: "ES2023",
  module: "NodeNext",
  lib: ["ES2023"],
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  rootDir: "src",
  outDir: "built"
}

const consumer = async (name: string, compilerOptions: object) => {
  const made = await packed.project(name, added)
  cpSync(join(Packed.repo, "test/package/consumer"), join(made.folder, "src"), { recursive: true })
  writeFileSync(join(made.folder, "cloth.txt"), "warp and weft\n")
  writeFileSync(join(made.folder, "package.json"), JSON.stringify({ name, private: true, type: "module" }))
  writeFileSync(join(made.folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src/main.ts"] }))
  const compile = () => made.run([Packed.realNode, "node_modules/typescript/bin/tsc", "-p", ".", "--pretty", "false"])
  return { ...made, compile }
}

const answers = {
  stream: "I was sent 1 message(s).",
  tools: { answer: "Done", results: ["cloth.txt:1: warp and weft", "noon in Utrecht", "shell"] },
  model: "Warp and weft."
}

describe("a strict NodeNext project without the DOM", () => {
  it(
    "compiles, declarations included, and runs on Node",
    async () => {
      const { compile, run } = await consumer("strict", strict)
      assert.deepStrictEqual(await compile(), { out: "", err: "", code: 0 })
      const { code, err, out } = await run([Packed.realNode, "built/main.js"])
      assert.deepStrictEqual({ code, err }, { code: 0, err: "" })
      assert.deepStrictEqual(JSON.parse(out), answers)
    },
    2 * minutes
  )
})

/** Seconds to sleep for: in no environment, and different from those of all other processes of this machine. */
const seconds = () => `31.${String(Math.random()).slice(2, 12)}`

/** Runs a command that leaves its session, its parents and its environment, until it is ended from outside or by itself. */
const escaping = (tag: string, end: string) => `
  import { Effect } from "effect"
  import { Heddle } from "heddle"
  import { ScriptedModel } from "heddle/testing"
  const ghost = "(env -i setsid sh -c '(sleep ${tag} &)' > /dev/null 2>&1 &)"
  const controller = new AbortController()
  const program = Effect.gen(function* () {
    const script = yield* ScriptedModel.make([ScriptedModel.call(["a", "bash", { command: ghost + "; echo ready; sleep ${tag}" }])])
    yield* Effect.provide(Heddle.ask("Go"), Heddle.layer({ provider: script.provider }))
  })
  const asked = Effect.runPromiseExit(program, { signal: controller.signal })
  process.stdin.once("data", () => { ${end} })
  const { _tag } = await asked
  process.stdin.destroy()
  process.stdout.write(_tag)
`

describe.skipIf(process.platform !== "linux")("a program on Node whose command tries to get away", () => {
  it.each([
    ["an interrupt", "controller.abort()", { code: 0, out: "Failure" }],
    ["SIGKILL of the program", `process.kill(process.pid, "SIGKILL")`, { code: 137, out: "" }]
  ])(
    "leaves nothing of it after %s",
    async (_, end, expected) => {
      const tag = seconds()
      const { folder, start } = await packed.project(`away-${expected.code}`, ["effect"])
      writeFileSync(join(folder, "program.mjs"), escaping(tag, end))
      const { ended, input } = start([Packed.realNode, "program.mjs"])
      await Effect.runPromise(Processes.count(`\0${tag}\0`, 2))
      input.write("now\n")
      void input.end()
      const { code, out } = await ended
      assert.deepStrictEqual({ code, out }, expected)
      await Effect.runPromise(Processes.count(tag, 0))
    },
    minutes
  )
})

describe("a program on Node that delegates", () => {
  it(
    "has the agents that come with heddle",
    async () => {
      const { folder, run } = await packed.project("delegating", ["effect"])
      const program = `
        import { Effect } from "effect"
        import { Content, EmbeddedAgent, Heddle } from "heddle"
        import { ScriptedModel } from "heddle/testing"
        const tasks = [{ id: "One", description: "one", assignment: "Say it" }]
        const program = Effect.gen(function* () {
          const script = yield* ScriptedModel.make([
            ScriptedModel.call(["a", "task", { agent: "reviewer", tasks }]),
            ScriptedModel.call(["b", "bash", { command: "echo child" }]),
            ScriptedModel.call(["c", "submit_result", { result: { verdict: "correct", summary: "", findings: [] } }]),
            ScriptedModel.say("Done")
          ])
          const agent = Heddle.layer({ provider: script.provider, subagents: { agentDir: "agent" } })
          yield* Effect.provide(Heddle.ask("Go"), agent)
          const [, , , last] = yield* script.requests
          return last.messages.flatMap((message) => (message.role === "toolResult" ? [Content.plainText(message.content)] : []))
        })
        process.stdout.write(JSON.stringify(await Effect.runPromise(program)))
      `
      writeFileSync(join(folder, "program.mjs"), program)
      const { err, out } = await run([Packed.realNode, "program.mjs"])
      assert.strictEqual(err, "")
      assert.match(out, /1\/1 succeeded.*verdict/)
    },
    minutes
  )
})

describe("a project without an SDK", () => {
  it(
    "is told at the first call which package to add",
    async () => {
      const { folder, run } = await packed.project("lean", ["effect"])
      const program = `
        import { Effect } from "effect"
        import { Heddle } from "heddle"
        const ask = (model) => Effect.flip(Effect.provide(Heddle.ask("Hi"), Heddle.layer({ model, apiKey: "sk" })))
        const failures = await Effect.runPromise(Effect.forEach(["anthropic/claude-haiku-4-5", "openai/gpt-6-sol"], ask))
        process.stdout.write(JSON.stringify(failures.map(({ message }) => message)))
      `
      writeFileSync(join(folder, "program.mjs"), program)
      const { err, out } = await run([Packed.realNode, "program.mjs"])
      const told = (name: string) =>
        `The package ${name} could not be loaded. Add it to your program: npm install ${name}`
      assert.strictEqual(err, "")
      assert.deepStrictEqual(JSON.parse(out), [told("@anthropic-ai/sdk"), told("openai")])
    },
    minutes
  )
})

describe("a host that installs only heddle", () => {
  it(
    "finds the client, which needs no other package and starts the heddle beside it",
    async () => {
      const { folder, run } = await packed.project("host", [])
      const program = `
        import { RpcClient } from "heddle/client"
        const client = new RpcClient({ args: ["--model", "offline/guide"], env: { ...process.env, HEDDLE_AGENT_DIR: "agent" } })
        await client.start()
        const { status } = await client.promptAndWait("What is here?")
        await client.stop()
        process.stdout.write(status)
      `
      writeFileSync(join(folder, "program.mjs"), program)
      const { code, err, out } = await run([Packed.realNode, "program.mjs"])
      assert.deepStrictEqual({ code, err, out }, { code: 0, err: "", out: "completed" })
    },
    minutes
  )
})

describe.skipIf(Python.program === undefined)("the Python client of the package", () => {
  it(
    "is in the tarball without its tests, and drives the heddle beside it",
    async () => {
      const { installed, run } = await packed.project("python", [])
      const python = join(installed, "python")
      assert.sameMembers(readdirSync(python), ["README.md", "heddle_rpc", "pyproject.toml"])
      const program = `
import sys
from heddle_rpc import Client
with Client([sys.argv[1], sys.argv[2]], model="offline/guide", args=["--no-session"]) as client:
    print(client.prompt_and_wait("What is here?", deadline=60).status)
`
      const command = [Python.program ?? "", "-c", program, Packed.realNode, join(installed, "bin/heddle.js")]
      const env = { PYTHONPATH: python, HEDDLE_AGENT_DIR: "agent" }
      assert.deepStrictEqual(await run(command, { env }), { out: "completed\n", err: "", code: 0 })
    },
    minutes
  )
})

describe("a project with the DOM", () => {
  it(
    "compiles, passes its tests under vitest on Node, and runs on Bun",
    async () => {
      const { compile, folder, run } = await consumer("dom", { ...strict, lib: ["ES2023", "DOM"] })
      assert.deepStrictEqual(await compile(), { out: "", err: "", code: 0 })
      writeFileSync(join(folder, "vitest.config.ts"), `export default { test: { include: ["src/*.spec.ts"] } }`)
      const tested = await run([Packed.realNode, "node_modules/vitest/vitest.mjs", "run", "--reporter=json"])
      const { numFailedTests, numPassedTests } = JSON.parse(tested.out)
      assert.deepStrictEqual({ numFailedTests, code: tested.code }, { numFailedTests: 0, code: 0 }, tested.out)
      assert.isAbove(numPassedTests, 10)
      const { code, err, out } = await run([process.execPath, "src/main.ts"])
      assert.deepStrictEqual({ code, err }, { code: 0, err: "" })
      assert.deepStrictEqual(JSON.parse(out), answers)
    },
    2 * minutes
  )
})

describe("the command of the package", () => {
  const prompt = (message: string) => `${JSON.stringify({ id: "1", type: "prompt", message })}\n`
  const scenario = { turns: [{ steps: [{ toolCall: { name: "word_count", arguments: { path: "cloth.txt" } } }] }] }

  it(
    "works without the packages that it was built from: rpc, extensions, export, the full parser, ripgrep",
    async () => {
      const { folder, installed, run } = await packed.project("command", [])
      assert.sameMembers(readdirSync(join(folder, "node_modules")), [
        "@cfworker",
        "@oven",
        "@vscode",
        "eventsource-parser",
        "heddle",
        "re2js",
        "unbash"
      ])
      const heddle = (args: ReadonlyArray<string>, input = "") =>
        run([Packed.realNode, join(installed, "bin/heddle.js"), ...args], {
          env: { HEDDLE_AGENT_DIR: join(folder, "agent") },
          input
        })
      const { version }: { version: string } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"))
      const said = await heddle(["--version", "--verbose"])
      assert.match(said.out, new RegExp(`^${version}\\nbun [\\d.]+, \\S+, bundled\\n$`))

      writeFileSync(join(folder, "words.json"), JSON.stringify(scenario))
      writeFileSync(join(folder, "cloth.txt"), "warp and weft")
      const kept = join(folder, "kept.jsonl")
      const counted = await heddle(
        [
          "--mode",
          "rpc",
          "--drain",
          "--session",
          kept,
          "--model",
          "offline/script",
          "--set",
          "offline.scenario=words.json"
        ].concat(["-e", join(installed, "examples/extensions/word-count.ts")]),
        prompt("Count")
      )
      assert.match(counted.out, /"type":"tool_execution_end"[^\n]*"toolName":"word_count"[^\n]*3 words/)
      assert.strictEqual(counted.code, 0, counted.err)

      const exported = await heddle(["--export", kept, "page.html"])
      assert.strictEqual(exported.code, 0, exported.err)
      assert.match(
        readFileSync(join(folder, "page.html"), "utf8"),
        /<script type="application\/json" id="session">\w{100}/
      )

      const explored = await heddle(["--mode", "rpc", "--drain", "--no-session"], prompt("Where does it say kept?"))
      assert.match(explored.out, /"status":"completed"/)
      assert.strictEqual((await heddle(["auth", "list"])).code, 0)
    },
    minutes
  )
})
