import { Validator } from "@cfworker/json-schema"
import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import * as TaskArguments from "../../../src/domain/subagents/TaskArguments.ts"

const rules: TaskArguments.TaskRules = {
  agents: ["task", "explore", "old"],
  disabled: ["old"],
  spawns: "*",
  isIsolationEnabled: false
}
const one = { id: "A", description: "d", assignment: "do" }
const check = (args: Readonly<Record<string, unknown>>, given: Partial<TaskArguments.TaskRules> = {}) =>
  Either.merge(TaskArguments.check({ agent: "task", tasks: [one], ...args }, { ...rules, ...given }))

describe("arguments of task", () => {
  it("are taken as they are", () => {
    const args = { agent: "task", context: "c", schema: {}, tasks: [one], isolated: true, verify: "quick" }
    assert.deepStrictEqual(check(args, { isIsolationEnabled: true }), args)
    assert.deepStrictEqual(check({ context: null, verify: null, isolated: null }), {
      agent: "task",
      tasks: [one],
      isolated: false
    })
  })

  it("the texts of refusals", () => {
    assert.strictEqual(check({ agent: "x" }), 'Unknown agent "x". Available: task, explore')
    assert.match(String(check({ agent: "old" })), /^Agent "old" is disabled in settings\. /)
    for (const tasks of [null, []]) assert.match(String(check({ tasks })), /^No tasks provided\. /)
    assert.strictEqual(
      check({ tasks: [{ ...one, id: "" }, one, { assignment: "x" }] }),
      "Invalid tasks: Missing task ids at indexes: 0, 2"
    )
    assert.strictEqual(
      check({ tasks: [one, { ...one, id: "a" }, { ...one, id: "b" }] }),
      "Invalid tasks: Duplicate task ids detected (case-insensitive): A, a"
    )
    const many = (count: number) => Array.from({ length: count }, (_, at) => ({ ...one, id: `T${at}` }))
    assert.isObject(check({ tasks: many(200) }))
    assert.strictEqual(
      check({ tasks: many(201) }),
      "Too many tasks: 201, at most 200 in a call. Give the rest in further calls."
    )
    assert.strictEqual(check({}, { spawns: ["explore"] }), "Cannot spawn 'task'. Allowed: explore")
    assert.match(String(check({}, { spawns: [] })), /^Cannot spawn 'task'\. Allowed: none/)
    assert.match(String(check({ isolated: true })), /^Task isolation is disabled\. /)
    assert.match(TaskArguments.notARepository, /^Isolated task execution requires a git repository\. /)
  })

  it("ids that are no file names, and tasks without an assignment", () => {
    assert.include(String(check({ tasks: [{ ...one, id: "x".repeat(49) }] })), "more than 48 characters at indexes: 0")
    for (const id of ["../x", "a b", "a/b", "ü", "a\0"])
      assert.include(String(check({ tasks: [{ ...one, id }] })), "characters other than letters", id)
    assert.strictEqual(
      check({ tasks: [{ ...one, assignment: " " }] }),
      "Invalid tasks: Missing assignments at indexes: 0"
    )
  })

  it("wrong types are named", () => {
    const said = String(check({ tasks: [{ ...one, id: 3 }], isolated: "no" }))
    assert.match(said, /^Invalid arguments for task: /)
    assert.include(said, "tasks.0.id")
    assert.include(said, "isolated")
    assert.isBelow(String(check({ agent: ["x".repeat(100_000)] })).length, 2100)
  })

  it("isolation is in the schema only where there is some", () => {
    assert.notProperty(TaskArguments.parameters({ hasIsolation: false })["properties"], "isolated")
    assert.containsAllKeys(TaskArguments.parameters({ hasIsolation: true })["properties"], ["isolated", "verify"])
  })

  it("what fits the schema that models see is accepted", () => {
    const validator = new Validator({ ...TaskArguments.parameters({ hasIsolation: true }) })
    const id = fc.stringMatching(/^[A-Za-z0-9._-]{1,50}$/)
    const task = fc.record({ id, description: fc.string(), assignment: fc.constantFrom("do", "") })
    fc.assert(
      fc.property(fc.uniqueArray(task, { selector: (item) => item.id.toLowerCase(), maxLength: 4 }), (tasks) => {
        const isOk =
          validator.validate({ agent: "task", tasks }).valid && tasks.every(({ assignment }) => assignment !== "")
        assert.strictEqual(typeof check({ tasks }) !== "string", isOk)
      })
    )
  })
})
