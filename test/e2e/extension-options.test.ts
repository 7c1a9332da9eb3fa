/** The options about extensions and trust, over the real command, as far as they need no extension to run. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as FileSettings from "../../src/layers/settings/FileSettings.ts"
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
    const { trust } = yield* FileSettings.load({ agentDir: join(home, ".heddle/agent"), cwd, overrides: {} })
    yield* trust.ask(() => Effect.succeed(true))
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
