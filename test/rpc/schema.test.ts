import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Either, ParseResult, Schema } from "effect"
import * as Docs from "../../src/rpc/Docs.ts"
import * as JsonSchema from "../../src/rpc/JsonSchema.ts"
import { unsupported } from "../../src/rpc/peers/Unsupported.ts"
import { events } from "../../src/rpc/protocol/events/EventSchemas.ts"
import { Response } from "../../src/rpc/protocol/Frame.ts"
import { schemaHash } from "../../src/rpc/protocol/schemaHash.ts"
import { commands } from "../../src/rpc/registry.ts"

const golden = join(import.meta.dirname, "../golden")
const transcripts = readdirSync(golden, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".jsonl"))
  .map((name) => readFileSync(join(golden, name), "utf8").split("\n"))
const frames = transcripts
  .flat()
  .filter((line) => line.startsWith("< "))
  .map((line) => JSON.parse(line.slice(2)))

const doc = (name: string) => readFileSync(join(import.meta.dirname, "../../docs", name), "utf8")

const check = (schema: Schema.Schema.AnyNoContext, value: unknown) => {
  const decoded = Schema.decodeUnknownEither(schema, { onExcessProperty: "error" })(value)
  if (Either.isLeft(decoded)) {
    assert.fail(`${ParseResult.TreeFormatter.formatErrorSync(decoded.left)}\n${JSON.stringify(value)}`)
  }
}

const strictly = () => {
  const document = JSON.parse(doc("rpc.schema.json"))
  const ajv = new Ajv2020({ strict: true })
  ajv.addVocabulary(Object.keys(document).filter((name) => name.startsWith("x-")))
  ajv.addSchema(document, "heddle")
  return { ajv, document }
}

/** Answered without data where there is nothing to say. */
const mayBeEmpty = new Set(["abort"])

describe("the reference tells the truth", () => {
  it("every frame of the goldens fits its schema, member for member", () => {
    for (const frame of frames) {
      const event = events.find(({ type }) => type === frame.type)
      check(event?.schema ?? Response, frame)
      const result = commands.find(({ name }) => name === frame.command)?.result
      if (frame.data === undefined && mayBeEmpty.has(frame.command)) continue
      if (frame.success === true && result !== undefined) check(result, frame.data)
    }
  })

  it("every command and every event that needs no clock and no megabytes is in a golden", () => {
    const seen = new Set(frames.map((frame) => (frame.type === "response" ? frame.command : frame.type)))
    const missing = [...commands.map(({ name }) => name), ...events.map(({ type }) => type)].filter(
      (name) => !seen.has(name)
    )
    assert.deepStrictEqual(missing, ["get_schema", "rpc_chunk", "rpc_frame_error"])
  })

  it("no command or event has the name of another", () => {
    for (const names of [
      [...commands.map(({ name }) => name), ...unsupported.keys()],
      events.map(({ type }) => type)
    ]) {
      assert.deepStrictEqual(names, [...new Set(names)])
    }
  })

  it("the pages are made from the registry", () => {
    assert.strictEqual(doc("rpc.md"), Docs.render())
    assert.deepStrictEqual(JSON.parse(doc("rpc.schema.json")), JsonSchema.part("all"))
  })

  it("every named type of the JSON Schema has a description and a section in the reference", () => {
    const page = doc("rpc.md")
    const linked = new Set([...page.matchAll(/\[(\w+)\]\(#\1\)/gi)].map(([, name]) => name))
    const { $defs } = JSON.parse(doc("rpc.schema.json"))
    const sections = [...page.slice(page.indexOf("\n## Types\n")).matchAll(/^### `(\w+)`\n\n(\S.*)$/gm)].map(
      ([, name, text]) => ({ name, text })
    )
    assert.isAbove(sections.length, 50)
    assert.deepStrictEqual(
      [...linked].filter((name) => !sections.some((section) => section.name === name)),
      []
    )
    for (const { name, text } of sections) assert.strictEqual(text, $defs[name ?? ""].description, name)
  })

  it("a strict validator loads the JSON Schema, and every frame of the goldens passes it", () => {
    const { ajv, document } = strictly()
    const passes = ({ $ref }: { readonly $ref: string }, value: unknown) => {
      const validate = ajv.getSchema(`heddle${$ref}`)
      assert.isTrue(validate?.(value), `${$ref}: ${ajv.errorsText(validate?.errors)}\n${JSON.stringify(value)}`)
    }
    for (const name of Object.keys(document.$defs)) assert.isDefined(ajv.getSchema(`heddle#/$defs/${name}`))
    for (const frame of frames) {
      if (frame.type !== "response") {
        passes(document["x-events"][frame.type].frame, frame)
        continue
      }
      passes({ $ref: "#/$defs/Response" }, frame)
      const data = document["x-commands"][frame.command]?.data
      if (data !== undefined && frame.data !== undefined && frame.success === true) passes(data, frame.data)
    }
  })

  it("commands that succeed fit the JSON Schema of their request", () => {
    const { ajv, document } = strictly()
    let checked = 0
    for (const lines of transcripts) {
      const succeeded = new Set(
        lines
          .filter((line) => line.startsWith("< "))
          .map((line) => JSON.parse(line.slice(2)))
          .filter(({ success, type }) => type === "response" && success === true)
          .map(({ command, id }) => JSON.stringify([command, id]))
      )
      for (const line of lines.filter((line) => line.startsWith("> {"))) {
        const parsed = Either.getOrUndefined(Either.try(() => JSON.parse(line.slice(2))))
        if (!succeeded.has(JSON.stringify([parsed?.type, parsed?.id]))) continue
        const validate = ajv.getSchema(`heddle${document["x-commands"][parsed.type].request.$ref}`)
        assert.isTrue(validate?.(parsed), `${ajv.errorsText(validate?.errors)}\n${line}`)
        checked += 1
      }
    }
    assert.isAbove(checked, 100)
  })

  it("the hash is that of the file", () => {
    const file = doc("rpc.schema.json")
    assert.strictEqual(schemaHash, `sha256:${createHash("sha256").update(file).digest("hex").slice(0, 16)}`)
  })
})
