import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { parseOverride } from "../../../../src/layers/workspace/settings/FileSettings.ts"
import * as Problems from "../../../../src/layers/workspace/settings/Problems.ts"
import { merge, type SettingsSource } from "../../../../src/layers/workspace/settings/SettingsMerge.ts"
import { defaults, marked, SettingsValues } from "../../../../src/services/Settings.ts"

/** What a merge comes to, with problems in words and origins by the names of their sources. */
const result = (...sources: ReadonlyArray<SettingsSource>) => {
  const { leftOut, origins, problems, values } = merge(sources)
  return {
    values,
    leftOut,
    problems: Problems.sentences(problems),
    origins: [...origins].map(([key, { isReset, locations }]) => [
      key,
      isReset ? "reset" : locations.map(({ source }) => source.name).join("+")
    ])
  }
}

describe("merge", () => {
  it("later sources win, nested and dotted keys mean the same, arrays replace", () => {
    assert.deepStrictEqual(
      result(
        { name: "user", values: { steeringMode: "all", rpc: { maxFrameBytes: 2048 }, enabledModels: ["a", "b"] } },
        { name: "project", values: { "rpc.maxFrameBytes": 4096, enabledModels: ["c"] } }
      ),
      {
        values: { ...defaults, steeringMode: "all", "rpc.maxFrameBytes": 4096, enabledModels: ["c"] },
        leftOut: [],
        problems: [],
        origins: [
          ["steeringMode", "user"],
          ["rpc.maxFrameBytes", "project"],
          ["enabledModels", "project"]
        ]
      }
    )
  })

  it("a name that is a setting and a group takes both, in every spelling", () => {
    const spellings = [
      { todo: { reminders: { max: 9 } }, "todo.reminders": false },
      { todo: { reminders: false, "reminders.max": 9 } },
      { "todo.reminders.max": 9, "todo.reminders": false },
      { "todo.reminders": { max: 9 }, todo: { reminders: false } }
    ]
    for (const values of spellings) {
      const { problems, values: found } = result({ name: "user", values })
      assert.deepStrictEqual(problems, [])
      assert.deepStrictEqual(found, { ...defaults, "todo.reminders": false, "todo.reminders.max": 9 })
    }
  })

  it("objects merge deeply, and a member of one can be named alone", () => {
    const check = (command: string) => ({ commands: [{ name: "test", command }] })
    const { origins, values } = result(
      { name: "user", values: { task: { verification: { profiles: { quick: { maxRetries: 1, ...check("a") } } } } } },
      { name: "project", values: { "task.verification.profiles": { quick: check("b"), slow: {} } } },
      { name: "--set", values: { "retry.fallbackChains.default": ["x/y"] } }
    )
    assert.deepStrictEqual(values, {
      ...defaults,
      "task.verification.profiles": { quick: { maxRetries: 1, ...check("b") }, slow: {} },
      "retry.fallbackChains": { default: ["x/y"] }
    })
    assert.deepStrictEqual(origins, [
      ["task.verification.profiles", "user+project"],
      ["retry.fallbackChains", "--set"]
    ])
  })

  it("a value of the wrong type leaves the one before it in force and is reported", () => {
    const { problems, values } = result(
      { name: "user", values: { interruptMode: "immediate" } },
      { name: "project", values: { interruptMode: 5, "rpc.maxFrameBytes": 3, retry: true } },
      { name: "broken", values: [] }
    )
    assert.deepStrictEqual(values, { ...defaults, interruptMode: "immediate" })
    assert.deepStrictEqual(problems, [
      'project: interruptMode: expected "immediate" or "wait", got 5',
      "project: rpc.maxFrameBytes: expected a whole number of at least 1024, got 3",
      "project: retry is a group of settings: expected an object, got true",
      "broken: expected an object of settings, got a list that does not fit"
    ])
  })

  it("names that are no settings are reported with the nearest that is one; $schema is for editors", () => {
    const values = {
      $schema: "settings.schema.json",
      "thinkingBudgets.hgih": 2000,
      task: { budget: { maxCost: 3 }, budgt: { maxCostUsd: 1 } },
      theme: { dark: { deep: 1 } },
      SteeringMode: "all"
    }
    const found = result({ name: "user", values })
    assert.deepStrictEqual(found.values, defaults)
    assert.deepStrictEqual(found.problems, [
      "user: thinkingBudgets.hgih is not a setting. Did you mean thinkingBudgets.high?",
      "user: task.budget.maxCost is not a setting. Did you mean task.budget.maxCostUsd?",
      "user: task.budgt is not a setting. Did you mean task.budget?",
      "user: theme is not a setting.",
      "user: SteeringMode is not a setting. Did you mean steeringMode?"
    ])
  })

  it("a setting of a feature that does not exist counts, and its user is told", () => {
    const { problems, values } = result({ name: "--set", values: { "async.enabled": true } })
    assert.deepStrictEqual(values, { ...defaults, "async.enabled": true })
    assert.deepStrictEqual(problems, ["--set: async.enabled has no effect yet: heddle does not have this feature"])
  })
})

describe("the reset of rpc mode", () => {
  const files = {
    name: "user",
    values: { todo: { enabled: false, eager: true }, "task.agentModelOverrides": { a: "m" } }
  }
  const reset = { name: "rpc mode", values: {}, isReset: true }

  it("takes back what files say about the settings of its list, and nothing else", () => {
    const more = { name: "project", values: { "tasks.todoClearDelay": 5 } }
    const { origins, values } = result(files, more, reset)
    assert.deepStrictEqual(values, { ...defaults, "tasks.todoClearDelay": 5 })
    assert.deepStrictEqual(origins, [
      ["todo.enabled", "reset"],
      ["todo.eager", "reset"],
      ["task.agentModelOverrides", "reset"],
      ["tasks.todoClearDelay", "project"]
    ])
  })

  it("leaves alone what comes after it, which starts from the defaults", () => {
    const values = { "todo.eager": true, "task.agentModelOverrides": { b: "n" } }
    const found = result(files, reset, { name: "--set", values })
    assert.deepStrictEqual(found.values, { ...defaults, ...values })
    assert.deepStrictEqual(found.origins, [
      ["todo.enabled", "reset"],
      ["todo.eager", "--set"],
      ["task.agentModelOverrides", "--set"]
    ])
  })
})

describe("a project that is not trusted", () => {
  const from = (values: object) => result({ name: "project", values, isUntrusted: true })

  it("cannot choose the shell; what it may set counts", () => {
    const values = { shellPath: "./evil", shellCommandPrefix: "evil", steeringMode: "all" }
    const merged = result(
      { name: "user", values: { shellPath: "/bin/zsh" } },
      { name: "project", values, isUntrusted: true }
    )
    assert.deepStrictEqual(merged, {
      values: { ...defaults, shellPath: "/bin/zsh", steeringMode: "all" },
      problems: [],
      leftOut: ["shellPath", "shellCommandPrefix"],
      origins: [
        ["shellPath", "user"],
        ["steeringMode", "project"]
      ]
    })
  })

  it("sets these and no others; a setting is closed to projects unless it is marked", () => {
    const free = [
      "steeringMode",
      "followUpMode",
      "interruptMode",
      "retry.enabled",
      "retry.maxRetries",
      "compaction.enabled",
      "compaction.keepRecentTokens",
      "todo.enabled",
      "tasks.todoClearDelay"
    ]
    assert.deepStrictEqual([...marked("free")], free)
    const all = Object.fromEntries(Object.keys(SettingsValues.fields).map((key) => [key, 1]))
    const closed = Object.keys(all).filter((key) => !free.includes(key))
    assert.deepStrictEqual(from(all).leftOut, closed)
    assert.isTrue(closed.includes("offline.scenario"))
  })

  it("is held to it however the setting is spelt", () => {
    const spellings = {
      offline: { scenario: "a" },
      "offline.scenario": "b",
      retry: { fallbackChains: { default: ["x"] } },
      "task.agentModelOverrides.a": "x"
    }
    assert.deepStrictEqual(from(spellings), {
      values: defaults,
      problems: [],
      leftOut: ["offline.scenario", "retry.fallbackChains", "task.agentModelOverrides"],
      origins: []
    })
  })
})

it("names that objects have by themselves are no settings", () => {
  const values: unknown = JSON.parse('{"__proto__":{"steeringMode":"all"},"constructor":1,"retry":{"__proto__":2}}')
  assert.deepStrictEqual(result({ name: "user", values }), {
    values: defaults,
    leftOut: [],
    problems: [
      "user: __proto__ is not a setting.",
      "user: constructor is not a setting.",
      "user: retry.__proto__ is not a setting."
    ],
    origins: []
  })
})

it("settings nested thousands of levels deep, and values of any length, are only a problem of their own", () => {
  const deep = Array.from({ length: 50_000 }).reduce<object>((inner) => ({ a: inner }), {})
  assert.deepStrictEqual(result({ name: "deep", values: deep }).problems, ["deep: a is not a setting."])
  const inMap = { "retry.fallbackChains": deep }
  assert.deepStrictEqual(result({ name: "a", values: inMap }, { name: "b", values: inMap }).values, defaults)
  assert.deepStrictEqual(result({ name: "long", values: { steeringMode: "x".repeat(1e6) } }).problems, [
    'long: steeringMode: expected "all" or "one-at-a-time", got a text of 1000000 characters'
  ])
})

describe("parseOverride", () => {
  const cases: ReadonlyArray<readonly [string, unknown]> = [
    ["a=1", ["a", 1]],
    ["a=true", ["a", true]],
    ['a={"b":[1]}', ["a", { b: [1] }]],
    ["a=some/path=x.json", ["a", "some/path=x.json"]],
    ["a=", ["a", ""]]
  ]
  for (const [text, expected] of cases) {
    it(text, () => assert.deepStrictEqual<unknown>(Either.getOrThrow(parseOverride(text)), expected))
  }
  it("refuses what is not an assignment", () => {
    assert.deepStrictEqual(parseOverride("novalue"), Either.left('--set expects <key>=<value>, got "novalue"'))
  })
})

describe("settings that protect the user", () => {
  const project = (values: object): SettingsSource => ({ name: "project", values, isProject: true })
  const merged = (...sources: ReadonlyArray<SettingsSource>) => {
    const { leftOut, loosening, values } = merge(sources)
    return { sandbox: values.sandbox, network: values.network, hidden: values["sandbox.hidden"], leftOut, loosening }
  }
  const own = { name: "--sandbox", values: { sandbox: "workspace-write", network: "on", "sandbox.hidden": ["a"] } }

  it("a project makes them stricter, also against the command line and without trust", () => {
    const strict = { sandbox: "read-only", network: "off", "sandbox.hidden": ["b"] }
    for (const source of [project(strict), { ...project(strict), isUntrusted: true }]) {
      assert.deepStrictEqual(merged(source, own), {
        sandbox: "read-only",
        network: "off",
        hidden: ["a", "b"],
        leftOut: [],
        loosening: []
      })
    }
  })
  it("and never looser, trusted or not; what says the same is no news", () => {
    const loose = { sandbox: "off", network: "on", "sandbox.writable": ["/"], "sandbox.env": ["A_KEY"] }
    assert.deepStrictEqual(merged(project(loose), own), {
      sandbox: "workspace-write",
      network: "on",
      hidden: ["a"],
      leftOut: [],
      loosening: ["sandbox", "sandbox.writable", "sandbox.env"]
    })
    assert.deepStrictEqual(merged(project({ network: "on" })).loosening, ["network"])
    assert.deepStrictEqual(merged(project({ sandbox: "off" })).loosening, [])
  })
  it("a value of the wrong type is reported as anywhere else", () => {
    assert.deepStrictEqual(result(project({ sandbox: "of" })).problems.length, 1)
  })
})

describe("settings of approvals", () => {
  const user = {
    name: "user",
    values: { approvals: { mode: "ask", allow: ["bash(ls)"], deny: ["bash(rm *)"], timeoutMs: 1000 } }
  }
  const project = (approvals: object, isUntrusted = true): SettingsSource => ({
    name: "project",
    values: { approvals },
    isProject: true,
    isUntrusted
  })
  const approvals = (...sources: ReadonlyArray<SettingsSource>) => {
    const { leftOut, loosening, tightened, values } = merge(sources)
    const found = Object.entries(values).filter(([key]) => key.startsWith("approvals."))
    return {
      values: Object.fromEntries(found.map(([key, value]) => [key.slice("approvals.".length), value])),
      leftOut,
      loosening,
      tightened: [...tightened.keys()]
    }
  }
  const base = { mode: "ask", allow: ["bash(ls)"], ask: [], deny: ["bash(rm *)"], timeoutMs: 1000, unasked: "reads" }

  it("lists of all sources add up", () => {
    const flags = { name: "--deny", values: { "approvals.deny": ["bash(git push*)"] } }
    assert.deepStrictEqual(approvals(user, flags).values, { ...base, deny: ["bash(rm *)", "bash(git push*)"] })
  })

  it("a project adds rules that deny and ask, trusted or not, and what is stricter", () => {
    for (const isUntrusted of [true, false]) {
      const found = approvals(
        user,
        project({ mode: "deny", ask: ["write"], deny: ["read(keys/**)"], timeoutMs: 10 }, isUntrusted)
      )
      assert.deepStrictEqual(found, {
        values: { ...base, mode: "deny", ask: ["write"], deny: ["bash(rm *)", "read(keys/**)"], timeoutMs: 10 },
        leftOut: [],
        loosening: [],
        tightened: ["approvals.mode", "approvals.ask", "approvals.deny", "approvals.timeoutMs"]
      })
    }
  })

  it("what would loosen is left out, trusted or not, also against what comes after the project", () => {
    const loose = { mode: "off", allow: ["bash"], unasked: "sandboxed", timeoutMs: 5000 }
    for (const isUntrusted of [true, false]) {
      assert.deepStrictEqual(approvals(user, project(loose, isUntrusted)), {
        values: base,
        leftOut: [],
        loosening: ["approvals.mode", "approvals.allow", "approvals.unasked", "approvals.timeoutMs"],
        tightened: []
      })
    }
    const flags = { name: "--approvals", values: { "approvals.mode": "off" } }
    assert.strictEqual(approvals(user, project({ mode: "deny" }), flags).values["mode"], "deny")
  })

  it("a wrong type is reported and counts for nothing", () => {
    const { problems, values } = merge([project({ mode: "never", deny: 7 })])
    assert.deepStrictEqual([values["approvals.mode"], values["approvals.deny"], problems.length], ["off", [], 2])
  })
})
