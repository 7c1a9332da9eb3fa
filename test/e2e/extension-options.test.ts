/** The options about extensions and trust, over the real command, as far as they need no extension to run. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import * as FileSettings from "../../src/layers/workspace/settings/FileSettings.ts"
import { withFiles } from "../layers/tools/TempFolder.ts"
import * as HostProcess from "../support/host/HostProcess.ts"
import { forPeople, makeHome } from "./command.ts"

const { answer } = HostProcess

describe("--extension", () => {
  it.each([
    ["gone.ts", "--extension gone.ts: no such file or folder"],
    [
      "npm:some-tools@1.0.0",
      "--extension npm:some-tools@1.0.0: is not installed; run: npm install --prefix DIR/npm --ignore-scripts --omit=peer some-tools@1.0.0"
    ]
  ])("%s ends the start with an error and an empty stdout", async (path, message) => {
    const home = makeHome()
    const result = await home.run(["--mode", "rpc", "--model", "guide", "-ne", "-e", path])
    home.remove()
    assert.deepStrictEqual([result.code, result.out, forPeople(result)], [1, "", `Error: ${message}`])
    assert.include(result.err, JSON.stringify({ error: { code: "INVALID_ARG", message } }))
  })
})

const trustOf = (home: string, cwd: string, ...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const host = yield* HostProcess.open({ home, args: ["--model", "guide", "--cwd", cwd, ...args] })
    host.send({ id: 1, type: "get_state" }, { id: 2, type: "initialize" })
    const [state, begun] = yield* Effect.promise(() => Promise.all([host.until(answer(1)), host.until(answer(2))]))
    const notices = host.frames().filter(({ type }) => type === "notice")
    return {
      level: Object(state["data"])["trust"],
      enforced: Object(begun["data"])["enforcement"]["trust"],
      notices: notices.map(({ message }) => message)
    }
  })

/** As the host's answer would, from another process. */
const sayYes = (agentDir: string, cwd: string) =>
  FileSettings.load({ agentDir, cwd, overrides: {} }).pipe(
    Effect.flatMap(({ trust }) => trust.ask(() => Effect.succeed(true))),
    Effect.provide(Logger.replace(Logger.defaultLogger, Logger.none))
  )

it.scopedLive("a stored yes gives --list-models the keys in the project's .env; --no-approve takes them away", () =>
  Effect.gen(function* () {
    const home = yield* Effect.acquireRelease(Effect.sync(makeHome), ({ remove }) => Effect.sync(remove))
    const cwd = yield* withFiles({ ".heddle/settings.json": '{"shellPath":"sh"}', ".env": "OPENAI_API_KEY=sk-x\n" })
    const usable = (...args: ReadonlyArray<string>) =>
      Effect.promise(async () => {
        const { out } = await home.run(["--list-models", "openai", "--json", "--cwd", cwd, ...args])
        const models: ReadonlyArray<{ readonly available: boolean; readonly provider: string }> = JSON.parse(out)
        return models.some(({ available, provider }) => provider === "openai" && available)
      })
    assert.isFalse(yield* usable())
    yield* sayYes(home.agentDir, cwd)
    assert.isTrue(yield* usable())
    assert.isFalse(yield* usable("--no-approve"))
  })
)

it.scopedLive("a decision that the user stored counts, an option goes before it, and a change ends it", () =>
  Effect.gen(function* () {
    const home = yield* withFiles({ ".heddle/agent/": "" })
    const cwd = yield* withFiles({ ".heddle/extensions/a.ts": "export default () => {}\n" })
    const untrusted = yield* trustOf(home, cwd)
    assert.deepStrictEqual(untrusted, {
      level: "untrusted",
      enforced: "untrusted",
      notices: [
        "This project is not trusted, so these were left out: .heddle/extensions. " +
          "To allow them, start heddle with --approve, or put the settings into your own settings.json."
      ]
    })
    yield* sayYes(join(home, ".heddle/agent"), cwd)
    const trusted = { level: "trusted", enforced: "trusted", notices: [] }
    assert.deepStrictEqual(yield* trustOf(home, cwd), trusted)
    assert.deepStrictEqual(yield* trustOf(home, cwd, "-na"), untrusted)
    mkdirSync(join(cwd, ".heddle/extensions/b"))
    writeFileSync(join(cwd, ".heddle/extensions/b/index.ts"), "")
    const changed = yield* trustOf(home, cwd)
    assert.strictEqual(changed.level, "untrusted")
    assert.include(
      changed.notices[0],
      "has changed since you decided about it (.heddle/extensions/b), and is not trusted"
    )
    assert.deepStrictEqual(yield* trustOf(home, cwd, "-a"), trusted)
  })
)
