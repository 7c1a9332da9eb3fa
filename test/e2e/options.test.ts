/** The options that hosts of other agents pass, over the real command: each is accepted, and those with a feature work. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Option } from "effect"
import * as Arguments from "../../src/layers/modes/cli/arguments/Arguments.ts"
import { optionTable } from "../../src/layers/modes/cli/arguments/OptionTable.ts"
import * as QuickParse from "../../src/layers/modes/cli/arguments/QuickParse.ts"
import * as HostProcess from "../support/host/HostProcess.ts"
import { makeHome } from "./command.ts"

const { answer, type } = HostProcess

/** As the programs start their agent, and every option of protocol.md 1.1 and supplement 1.3 that needs no file. */
const lines: ReadonlyArray<readonly [host: string, args: string]> = [
  ["pi-acp", "--no-themes"],
  ["pi", "--provider offline --no-session"],
  ["omp", "--no-title --session-dir sessions"],
  ["xcsh", "--no-title --provider-session-id abc-1 --no-ui --no-rules --no-mcp -na"],
  ["short names", "-nt -ne -ns -np -nc -na -n title"],
  ["more short names", "-nbt -xt bash,edit -e . -e ."],
  ["tools by a short name", "-t read,ls -a"],
  [
    "long names",
    "--no-extensions --no-skills --no-prompt-templates --no-context-files --no-rules --no-themes --no-mcp"
  ],
  ["resources", "--extension . --skill docs --skill src --prompt-template docs --theme e --theme f"],
  ["rpc", "--rpc-extra-events --inherit-settings --dialect pi --agent-end per-attempt --rpc-updates delta"],
  ["one-shot options", "-p --print --no-ui"],
  ["a flag twice", "--no-themes --no-title --no-themes"],
  ["values behind =", "--theme=dark --dialect=xcsh-strict --agent-end=final --exclude-tools=bash --print=x"]
]

describe.each(lines)("%s: %s", (_, line) => {
  it("is understood without the full parser", () => {
    assert.isTrue(Option.isSome(QuickParse.parse(Arguments.normalize(["--mode", "rpc", ...line.split(" ")]))))
  })

  it.scoped("starts, answers, and says nothing on stderr", () =>
    Effect.gen(function* () {
      const host = yield* HostProcess.open({ args: ["--model", "guide", ...line.split(" ")] })
      host.send({ id: 1, type: "get_state" })
      const [state] = yield* Effect.promise(() => Promise.all([host.until(answer(1)), host.until(type("ready"))]))
      assert.strictEqual(state["success"], true)
      host.closeInput()
      assert.deepStrictEqual(yield* Effect.promise(() => host.exited), { code: 0, signal: null })
      assert.strictEqual(host.stderr(), "")
    })
  )
})

it("every option has one long and at most one short name, and the quick parser takes all of them", () => {
  const names = optionTable.flatMap(({ name, short }) => [`--${name}`, ...(short === undefined ? [] : [short])])
  assert.strictEqual(new Set(names).size, names.length)
  const entry = fc.constantFrom(...optionTable.filter(({ short }) => short !== undefined))
  fc.assert(
    fc.property(entry, ({ kind, name, short = "" }) => {
      const read = (spelling: string) =>
        QuickParse.parse(Arguments.normalize(kind === "flag" ? [spelling] : [spelling, "v"]))
      assert.isTrue(Option.isSome(read(short)))
      assert.deepStrictEqual(read(short), read(`--${name}`))
    })
  )
})

it("--mode rpc-ui is rpc", async () => {
  const home = makeHome()
  const args = ["--mode", "rpc-ui", "--model", "offline/guide"]
  const { code, out } = await home.run(args, { input: '{"id":7,"type":"ping"}\n' })
  home.remove()
  assert.strictEqual(code, 0)
  assert.match(out, /^\{"type":"ready".*\n/)
  assert.include(out, '{"id":7,"type":"response","command":"ping","success":true')
})

describe("tools", () => {
  const offered = (...args: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const host = yield* HostProcess.open({ args: ["--model", "offline/guide", ...args] })
      const tool = { name: "mine", description: "a tool of the host", parameters: { type: "object" } }
      host.send({ id: 1, type: "set_host_tools", tools: [tool] }, { id: 2, type: "get_state", verbose: true })
      const frame = yield* Effect.promise(() => host.until(answer(2)))
      const state: { readonly dumpTools: ReadonlyArray<{ readonly name: string }> } = JSON.parse(
        JSON.stringify(frame["data"])
      )
      return state.dumpTools.map(({ name }) => name).join(" ")
    })

  it.scoped("--exclude-tools leaves out built-in tools, and only those", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* offered(), "read bash edit write grep find ls todo_write ask task mine")
      assert.strictEqual(yield* offered("-xt", "bash, edit,write"), "read grep find ls todo_write ask task mine")
      assert.strictEqual(
        yield* offered("--exclude-tools", "mine,web_search,ls"),
        "read bash edit write grep find todo_write ask task mine"
      )
      assert.strictEqual(yield* offered("-t", "read,bash", "-xt", "bash"), "read mine")
    })
  )
})

describe("the environment", () => {
  const updates = (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const host = yield* HostProcess.open({ args: ["--model", "offline/guide", ...args], env })
      host.send({ id: 1, type: "prompt", message: "hello" })
      const update = yield* Effect.promise(() => host.until(type("message_update")))
      return "message" in update ? "full" : "delta"
    })

  it.scoped("HEDDLE_RPC_UPDATES chooses the form of updates, and --rpc-updates goes before it", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* updates({}), "full")
      assert.strictEqual(yield* updates({ HEDDLE_RPC_UPDATES: "delta" }), "delta")
      assert.strictEqual(yield* updates({ HEDDLE_RPC_UPDATES: "delta" }, "--rpc-updates", "full"), "full")
      assert.strictEqual(yield* updates({ HEDDLE_RPC_UPDATES: "" }), "full")
    })
  )

  const interruptMode = (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const host = yield* HostProcess.open({ args: ["--model", "offline/guide", ...args], env })
      host.send({ id: 1, type: "get_state" })
      const { data } = yield* Effect.promise(() => host.until(answer(1)))
      const state: { readonly interruptMode: string } = JSON.parse(JSON.stringify(data))
      return state.interruptMode
    })

  it.scoped(
    "HEDDLE_RPC_DIALECT chooses the dialect, and with it the default of interruptMode; --dialect goes before it",
    () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* interruptMode({}), "wait")
        assert.strictEqual(yield* interruptMode({ HEDDLE_RPC_DIALECT: "omp" }), "immediate")
        assert.strictEqual(yield* interruptMode({ HEDDLE_RPC_DIALECT: "omp" }, "--dialect", "xcsh"), "wait")
        assert.strictEqual(yield* interruptMode({}, "--dialect", "pi-early"), "immediate")
        assert.strictEqual(yield* interruptMode({}, "--dialect=omp", "--set", "interruptMode=wait"), "wait")
      })
  )

  it.each([
    ["HEDDLE_RPC_UPDATES", "full, delta"],
    ["HEDDLE_RPC_DIALECT", "superset, pi, omp, xcsh, pisces, pi-early, xcsh-strict"]
  ])("%s with another value is refused", async (name, choices) => {
    const home = makeHome()
    const { code, err, out } = await home.run(["--mode", "rpc"], { variables: { [name]: "nonsense" } })
    home.remove()
    assert.deepStrictEqual([code, out], [1, ""])
    assert.include(err, `Error: ${name} must be one of ${choices}; got "nonsense"\n`)
  })
})
