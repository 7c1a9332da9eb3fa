import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Either, ParseResult, Schema } from "effect"
import * as Docs from "../../src/rpc/Docs.ts"
import * as JsonSchema from "../../src/rpc/JsonSchema.ts"
import { events } from "../../src/rpc/protocol/EventSchemas.ts"
import { Response } from "../../src/rpc/protocol/Frame.ts"
import { schemaHash } from "../../src/rpc/protocol/schemaHash.ts"
import { commands } from "../../src/rpc/registry.ts"

const golden = join(import.meta.dirname, "../golden")
const frames = readdirSync(golden, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".jsonl"))
  .flatMap((name) => readFileSync(join(golden, name), "utf8").split("\n"))
  .filter((line) => line.startsWith("< "))
  .map((line) => JSON.parse(line.slice(2)))

const doc = (name: string) => readFileSync(join(import.meta.dirname, "../../docs", name), "utf8")

const check = (schema: Schema.Schema.AnyNoContext, value: unknown) => {
  const decoded = Schema.decodeUnknownEither(schema, { onExcessProperty: "error" })(value)
  if (Either.isLeft(decoded)) {
    assert.fail(`${ParseResult.TreeFormatter.formatErrorSync(decoded.left)}\n${JSON.stringify(value)}`)
  }
}

/** Answered without data where there is nothing to say. */
const mayBeEmpty = new Set(["abort"])

describe("the reference tells the truth", () => {
  it("every frame of the goldens fits its schema, member for member", () => {
    for (const frame of frames) {
      const event = events.find(({ type }) => type === frame.type)
      check(event?.schema ?? Response(), frame)
      const result = commands.find(({ name }) => name === frame.command)?.result
      if (frame.data === undefined && mayBeEmpty.has(frame.command)) continue
      if (frame.success === true && result !== undefined) check(result(), frame.data)
    }
  })

  it("every command and every event that can be provoked without a clock is in a golden", () => {
    const seen = new Set(frames.map((frame) => (frame.type === "response" ? frame.command : frame.type)))
    const missing = [...commands.map(({ name }) => name), ...events.map(({ type }) => type)].filter(
      (name) => !seen.has(name)
    )
    assert.deepStrictEqual(missing, ["get_schema"])
  })

  it("the pages are made from the registry", () => {
    assert.strictEqual(doc("rpc.md"), Docs.render())
    assert.deepStrictEqual(JSON.parse(doc("rpc.schema.json")), JsonSchema.part("all"))
  })

  it("the hash is that of the file", () => {
    const file = doc("rpc.schema.json")
    assert.strictEqual(schemaHash, `sha256:${createHash("sha256").update(file).digest("hex").slice(0, 16)}`)
  })
})
