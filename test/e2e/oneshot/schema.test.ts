/** `--output-schema`: stdout is JSON that fits, or the exit code says that there is none. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { makeHome } from "../command.ts"

const home = makeHome()
afterAll(home.remove)
const { put, run, script } = home

const schema = JSON.stringify({
  type: "object",
  properties: { count: { type: "integer" }, names: { type: "array", items: { type: "string" } } },
  required: ["count"],
  additionalProperties: false
})
const submit = (args: object) => ({ steps: [{ toolCall: { name: "submit_result", arguments: args } }] })
const says = (text: string) => ({ steps: [{ text }] })
const answer = { count: 2, names: ["a", "b"] }

const ask = (given: string, turns: ReadonlyArray<object>, ...args: ReadonlyArray<string>) =>
  run(["count", "--output-schema", given, ...args, ...script(turns)])

describe("--output-schema", () => {
  it("prints what the model submits, and nothing else", async () => {
    const turns = [
      { steps: [{ text: "I count." }, { toolCall: { name: "ls", arguments: {} } }] },
      submit({ result: answer })
    ]
    assert.deepStrictEqual(await ask(schema, turns), { code: 0, out: `${JSON.stringify(answer)}\n`, err: "" })
  })

  it("takes the path of a file, and values of every kind", async () => {
    put("schema.json", '{"type":"string"}')
    assert.strictEqual((await ask("schema.json", [submit({ result: "ten" })])).out, '"ten"\n')
    assert.strictEqual((await ask('{"type":["null","integer"]}', [submit({ result: null })])).out, "null\n")
  })

  it("sends a wrong answer back, and reminds a model that stops without one", async () => {
    const turns = [says("Two."), submit({ result: { count: "two" } }), says("Sorry."), submit({ result: { count: 2 } })]
    assert.deepStrictEqual(await ask(schema, turns), { code: 0, out: '{"count":2}\n', err: "" })
  })

  it("no answer after all reminders: exit code 3, stdout stays empty", async () => {
    assert.deepStrictEqual(await ask(schema, [says("1"), says("2"), says("3"), says("4")]), {
      code: 3,
      out: "",
      err: "Error: the model gave no answer that fits the schema, though it was reminded\n"
    })
  })

  it("a model that gives up: exit code 3 and its words", async () => {
    assert.deepStrictEqual(await ask(schema, [submit({ error: "There is nothing to count." })]), {
      code: 3,
      out: "",
      err: "Error: the model says that it cannot answer: There is nothing to count.\n"
    })
  })

  it("a run that fails is a failure like any other", async () => {
    const fails = [{ steps: [{ fail: { reason: "quota", message: "No credit is left." } }] }]
    assert.deepStrictEqual(await ask(schema, fails), { code: 1, out: "", err: "Error: No credit is left.\n" })
  })

  it("in JSON mode the call is among the events", async () => {
    const { code, out } = await ask(schema, [submit({ result: answer })], "--mode", "json")
    assert.strictEqual(code, 0)
    const calls = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ type }) => type === "tool_execution_start")
    assert.deepStrictEqual(
      calls.map(({ args, toolName }) => ({ args, toolName })),
      [{ args: { result: answer }, toolName: "submit_result" }]
    )
    assert.strictEqual((await ask(schema, [submit({ error: "no" })], "--mode", "json")).code, 3)
  })

  it.each([
    [
      "nope.json",
      /^Error: --output-schema: \S+nope\.json: no such file\. Give the path of a JSON Schema, or the schema itself\n$/
    ],
    ["{", /^Error: --output-schema: it is not JSON: /],
    ["list.json", /^Error: --output-schema: it is not a JSON object\n$/],
    ['{"type":"nonsense"}', /^Error: --output-schema: The output schema cannot be used: type must be one of /]
  ])("%s is refused before the model is asked", async (given, sentence) => {
    put("list.json", "[]")
    const { code, err, out } = await ask(given, [])
    assert.deepStrictEqual([code, out], [1, ""])
    assert.match(err, sentence)
  })
})
