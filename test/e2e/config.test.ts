/** `heddle config` as the real command, and what rpc mode makes of the same files. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { afterEach, beforeEach, describe } from "vitest"
import { withFiles } from "../layers/tools/TempFolder.ts"
import * as HostProcess from "../support/host/HostProcess.ts"
import { defaults } from "../../src/services/Settings.ts"
import { forPeople, makeHome } from "./command.ts"

const { answer, type } = HostProcess

let home = makeHome()
beforeEach(() => {
  home = makeHome()
})
afterEach(() => home.remove())

const project = (content: string) => {
  const file = join(dirname(home.agentDir), ".heddle/settings.json")
  mkdirSync(dirname(file))
  writeFileSync(file, content)
}

const rows = (out: string) =>
  out
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/\s{2,}/))

describe("heddle config", () => {
  it("prints every setting, and where those come from that are no defaults", async () => {
    home.write("settings.json", '{\n  "retry": {\n    "maxRetries": 7\n  },\n  "todo.enabled": false\n}')
    home.write("config.yml", "steeringMode: all\nretry.fallbackChains: { default: [a] }")
    project('{ "compaction.enabled": false, "maxTurns": 3 }')
    const { code, err, out } = await home.run(
      [
        "config",
        "--set",
        "retry.fallbackChains.other=[]",
        "--session-dir",
        "s",
        "--dialect",
        "omp",
        "--thinking",
        "high"
      ],
      { variables: { PI_OFFLINE: "1" } }
    )
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(err.trim().split("\n"), [
      "heddle info: rpc mode resets these settings: todo.enabled. To keep your values, start with --inherit-settings.",
      "heddle warn: This project is not trusted, so these were left out: maxTurns. To allow them, start heddle with " +
        "--approve, or put the settings into your own settings.json."
    ])
    const [header, ...settings] = rows(out)
    assert.deepStrictEqual(header, ["KEY", "VALUE", "SOURCE"])
    assert.deepStrictEqual(
      settings.map(([key]) => key).filter((key) => Object.hasOwn(defaults, key ?? "")).length,
      Object.keys(defaults).length
    )
    assert.deepStrictEqual(
      settings.filter(([, , source]) => source !== "default"),
      [
        ["steeringMode", '"all"', "agent/config.yml:1"],
        ["interruptMode", '"immediate"', "dialect omp"],
        ["sessionDir", '"s"', "--session-dir"],
        ["defaultThinkingLevel", '"high"', "--thinking"],
        ["models.discover", "[]", "variable PI_OFFLINE"],
        ["retry.maxRetries", "7", "agent/settings.json:3"],
        ["retry.fallbackChains", '{"default":["a"],"other":[]}', "agent/config.yml:2, --set"],
        ["compaction.enabled", "false", ".heddle/settings.json:1"],
        ["todo.enabled", "true", "default (rpc mode resets agent/settings.json:5)"]
      ]
    )
  })

  it("explains one setting; --approve, --inherit-settings and --cwd count", async () => {
    home.write("settings.json", { "todo.eager": true })
    project('{ "maxTurns": 3 }')
    assert.strictEqual(
      (await home.run(["config", "maxTurns", "--approve"])).out,
      [
        "maxTurns = 3",
        "  from     .heddle/settings.json:1",
        "  default  -",
        "  type     a whole number above 0",
        "  After how many turns a run ends; unlimited if unset.",
        "  In the files of a project it counts only if you trust the project.",
        ""
      ].join("\n")
    )
    assert.include((await home.run(["config", "todo.eager"])).out, "todo.eager = false\n")
    assert.include((await home.run(["config", "--inherit-settings", "todo.eager"])).out, "todo.eager = true\n")
    const elsewhere = await home.run(["--cwd", home.agentDir, "config", "maxTurns", "--approve"])
    assert.include(elsewhere.out, "maxTurns = -\n  from     default")
  })

  it("prints JSON, of one setting, a group or all", async () => {
    home.write("settings.json", '{ "ask": {\n"timeout": 5 } }')
    const one: unknown = JSON.parse((await home.run(["config", "ask.timeout", "--json"])).out)
    const setting = {
      key: "ask.timeout",
      value: 5,
      default: 30,
      type: "a number of at least 0",
      description: "Seconds that the tool `ask` waits for the user; 0 waits as long as it takes.",
      sources: [{ name: join(home.agentDir, "settings.json"), line: 2, column: 1 }],
      isReset: false
    }
    assert.deepStrictEqual(one, setting)
    assert.deepStrictEqual<unknown>(JSON.parse((await home.run(["config", "ask", "--json"])).out), [setting])
    const all: ReadonlyArray<unknown> = JSON.parse((await home.run(["config", "--json"])).out)
    assert.deepInclude(all, setting)
    assert.isAbove(all.length, 80)
  })

  it("shows no keys", async () => {
    const key = "sk-ant-0123456789abcdef"
    const secretive = {
      shellCommandPrefix: `export ANTHROPIC_API_KEY=${key}`,
      "telemetry.endpoint": "http://me:pw@host/"
    }
    home.write("settings.json", secretive)
    for (const args of [["config"], ["config", "shellCommandPrefix"], ["config", "--json"]]) {
      const { err, out } = await home.run(args, { variables: { ANTHROPIC_API_KEY: key } })
      assert.notInclude(out + err, key)
      assert.notInclude(out + err, "me:pw")
      assert.include(out, "export ANTHROPIC_API_KEY=[redacted]")
    }
  })

  it("says what is wrong with a command line", async () => {
    const cases: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
      [
        ["config", "retry.enabeld"],
        "Error: retry.enabeld is not a setting. Did you mean retry.enabled? See heddle config."
      ],
      [["config", "zzz"], "Error: zzz is not a setting. See heddle config."],
      [["config", "a", "b"], 'Error: heddle config takes one setting; got "b" too'],
      [["config", "--cwd", "/no/such"], "Error: --cwd: no such folder: /no/such"],
      [["config", "--approve", "--no-approve"], "Error: --approve and --no-approve contradict each other"],
      [["config", "--set", "x"], 'Error: --set expects <key>=<value>, got "x"']
    ]
    for (const [args, message] of cases) {
      const result = await home.run(args)
      assert.deepStrictEqual([result.code, result.out, forPeople(result)], [1, "", message])
    }
    const help = await home.run(["config", "--help"])
    assert.deepStrictEqual([help.code, help.out.split("\n")[3]], [0, "  heddle config                   all settings"])
    assert.strictEqual((await home.run(["help", "config"])).out, help.out)
  })
})

const problems =
  '{\n  "steeringMod": "all",\n  "followUpMode": "all",\n  "maxTurns": "ten",\n  "todo.enabled": false\n}'

it.scoped("a host gets one notice about settings that have no effect, and its commands change no file", () =>
  Effect.gen(function* () {
    const folder = yield* withFiles({ ".heddle/agent/settings.json": problems, "work/": "" })
    const file = join(folder, ".heddle/agent/settings.json")
    const host = yield* HostProcess.open({ home: folder, args: ["--cwd", join(folder, "work"), "--no-session"] })
    const setters = [
      { type: "set_steering_mode", mode: "all" },
      { type: "set_follow_up_mode", mode: "one-at-a-time" },
      { type: "set_interrupt_mode", mode: "immediate" },
      { type: "set_auto_compaction", enabled: false },
      { type: "set_auto_retry", enabled: false },
      { type: "set_thinking_level", level: "low" },
      { type: "set_model", provider: "offline", modelId: "guide" }
    ]
    host.send(...setters.map((frame, id) => ({ id: `s${id}`, ...frame })), { id: "state", type: "get_state" })
    const state = yield* Effect.promise(() => host.until(answer("state")))
    for (const [id] of setters.entries()) {
      const { success } = yield* Effect.promise(() => host.until(answer(`s${id}`)))
      assert.isTrue(success, JSON.stringify(setters[id]))
    }
    assert.include(JSON.stringify(state["data"]), '"steeringMode":"all","followUpMode":"one-at-a-time"')
    const told = [
      `${file}:2:3: steeringMod is not a setting. Did you mean steeringMode?`,
      `${file}:4:3: maxTurns: expected a whole number above 0, got "ten"`
    ]
    const notices = host.frames().filter(type("notice"))
    assert.deepStrictEqual(
      notices.map(({ level, message, source }) => ({ level, message, source })),
      [
        {
          level: "warning",
          message: ["Some settings have no effect; docs/settings.md lists all that there are.", ...told].join("\n- "),
          source: "settings"
        }
      ]
    )
    for (const sentence of told) assert.strictEqual(host.stderr().split(sentence).length, 2)
    assert.include(host.stderr(), "rpc mode resets these settings: todo.enabled.")
    host.closeInput()
    assert.strictEqual((yield* Effect.promise(() => host.exited)).code, 0)
    assert.strictEqual(readFileSync(file, "utf8"), problems)
  })
)

describe("settings of other programs", () => {
  /** As pi writes them, with one setting that heddle has. */
  const ofPi = {
    lastChangelogVersion: "1.5.2",
    theme: "dark",
    steeringMode: "all",
    quietStartup: true,
    terminal: { showImages: false },
    retry: { maxAgentDelayMs: 1000 },
    defaultTools: ["read"],
    hideThinkingBlock: true
  }
  const notices = Effect.fnUntraced(function* (home: string, ...args: ReadonlyArray<string>) {
    const host = yield* HostProcess.open({ home, cwd: home, args: ["--no-session", ...args] })
    return yield* Effect.promise(async () => {
      host.send({ id: "g", type: "get_state" })
      await host.until(answer("g"))
      host.closeInput()
      await host.exited
      const told = host.frames().filter(type("notice"))
      return { told: told.map(({ level, message, source }) => [source, level, message]), stderr: host.stderr() }
    })
  })

  it.scoped("are one short notice, at the first start with them, and none in dialects that have no such event", () =>
    Effect.gen(function* () {
      const home = yield* withFiles({ ".heddle/agent/settings.json": JSON.stringify(ofPi) })
      const file = join(home, ".heddle/agent/settings.json")
      const sentence =
        "heddle has no settings of these names: lastChangelogVersion, theme, quietStartup, terminal, " +
        `retry.maxAgentDelayMs and 2 more (${file})`
      for (const dialect of ["xcsh", "xcsh-strict", "pisces", "pi-early"]) {
        const { stderr, told } = yield* notices(home, "--dialect", dialect)
        assert.deepStrictEqual(told, [], dialect)
        assert.strictEqual(stderr.split(sentence).length, 2, dialect)
      }
      assert.deepStrictEqual((yield* notices(home)).told, [["settings", "info", sentence]])
      const again = yield* notices(home, "--dialect", "pi")
      assert.deepStrictEqual(again.told, [])
      assert.include(again.stderr, sentence)
      writeFileSync(file, JSON.stringify({ ...ofPi, themes: [], maxTurns: "ten" }))
      const changed = yield* notices(home)
      assert.deepStrictEqual(
        changed.told.map(([source, level]) => [source, level]),
        [
          ["settings", "warning"],
          ["settings", "info"]
        ]
      )
      // A value that is wrong is told at every start.
      assert.deepStrictEqual(
        (yield* notices(home)).told.map(([, level]) => level),
        ["warning"]
      )
    })
  )
})
