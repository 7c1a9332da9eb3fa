/** `--mode json`: the header of the session and its events, each fit for the published schema. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Either, ParseResult, Schema } from "effect"
import { SessionHeader } from "../../../src/domain/session/SessionEntry.ts"
import { events } from "../../../src/rpc/protocol/events/EventSchemas.ts"
import { root } from "../../support/host/HostProcess.ts"
import { makeHome } from "../command.ts"

const home = makeHome()
afterAll(home.remove)
const { run, script } = home

const linesOf = (out: string) =>
  out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

const fits = (schema: Schema.Schema.AnyNoContext, value: unknown) => {
  const decoded = Schema.decodeUnknownEither(schema, { onExcessProperty: "error" })(value)
  if (Either.isLeft(decoded)) assert.fail(ParseResult.TreeFormatter.formatErrorSync(decoded.left))
}

const document = JSON.parse(readFileSync(join(root, "docs/rpc.schema.json"), "utf8"))
const ajv = new Ajv2020({ strict: true })
ajv.addVocabulary(Object.keys(document).filter((name) => name.startsWith("x-")))
ajv.addSchema(document, "heddle")

const turns = [
  {
    steps: [
      { thinking: "hm" },
      { text: "Look:" },
      { toolCall: { name: "ls", arguments: { path: "." } } },
      { toolCall: { name: "read", arguments: { path: "nope" } } }
    ]
  },
  { steps: [{ text: "Done." }], usage: { input: 3, output: 4 } }
]

describe("--mode json", () => {
  it("begins with the header, then every event fits its schema, and the end is that of a run", async () => {
    const { code, err, out } = await run(["--mode", "json", "go", ...script(turns)])
    assert.deepStrictEqual([code, err], [0, ""])
    const [header, ...frames] = linesOf(out)
    fits(SessionHeader, header)
    for (const frame of frames) {
      const event = events.find(({ type }) => type === frame.type)
      assert.isDefined(event, `no schema of ${frame.type}`)
      if (event !== undefined) fits(event.schema, frame)
      const pointer = document["x-events"][frame.type].frame.$ref
      assert.isTrue(ajv.validate(`heddle${pointer}`, frame), ajv.errorsText())
      assert.strictEqual(frame.sessionId, header.id)
    }
    assert.deepStrictEqual(
      frames.map(({ seq }) => seq),
      frames.map((_, at) => at + 1)
    )
    const types = frames.map(({ type }) => type)
    assert.strictEqual(types[0], "agent_start")
    assert.deepStrictEqual(types.slice(-4), ["agent_end", "prompt_result", "agent_settled", "session_settled"])
    assert.include(types, "tool_execution_end")
  })

  it("--rpc-updates delta sends increments only", async () => {
    const { out } = await run(["--mode", "json", "--rpc-updates", "delta", "go", ...script(turns)])
    const updates = linesOf(out).filter(({ type }) => type === "message_update")
    assert.isNotEmpty(updates)
    assert.isTrue(updates.every((frame) => !("message" in frame)))
  })

  it("a failed run has its events and exit code 1", async () => {
    const fails = [{ steps: [{ fail: { reason: "invalid_request", message: "Too odd." } }] }]
    const { code, err, out } = await run(["--mode", "json", "go", ...script(fails)])
    assert.deepStrictEqual([code, err], [1, "Error: Too odd.\n"])
    const result = linesOf(out).find(({ type }) => type === "prompt_result")
    assert.strictEqual(result.status, "error")
  })

  it("a message that is refused has the JSON error line on stderr", async () => {
    const { code, err, out } = await run(["--mode", "json", "go", "--model", "anthropic/claude-opus-5"])
    assert.strictEqual(code, 1)
    const line = err.split("\n").find((text) => text.startsWith("{")) ?? ""
    assert.strictEqual(JSON.parse(line).error.code, "NO_MODEL")
    assert.deepStrictEqual(
      linesOf(out).map(({ type }) => type),
      ["session"]
    )
  })

  it("tells of settings that have no effect, as a host is told", async () => {
    home.write("settings.json", { "retry.enabledd": true })
    const { out } = await run(["--mode", "json", "go", ...script(turns)])
    home.write("settings.json", {})
    const notice = linesOf(out).find(({ type }) => type === "notice")
    assert.strictEqual(notice.source, "settings")
  })

  it("continues a session: the header is that of the first run", async () => {
    const first = await run(["--mode", "json", "--name", "kept", "go", ...script(turns)])
    const [header] = linesOf(first.out)
    for (const args of [["-c"], ["-r", "1"], ["--session", header.id]]) {
      const again = await run(["--mode", "json", ...args, "more", ...script([{ steps: [{ text: "More." }] }])])
      assert.strictEqual(again.code, 0, again.err)
      assert.deepStrictEqual(linesOf(again.out)[0], header)
    }
  })
})
