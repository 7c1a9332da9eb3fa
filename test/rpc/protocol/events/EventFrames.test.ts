/** Frames against their schemas, for every event of the table whose members a schema describes. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Either, FastCheck, ParseResult, Predicate, Schema, SchemaAST } from "effect"
import { events as table } from "../../../../src/domain/conversation/EventTable.ts"
import { type ControlEvent, nameFrames, toFrames } from "../../../../src/rpc/protocol/events/EventFrames.ts"
import { events as schemas } from "../../../../src/rpc/protocol/events/EventSchemas.ts"

const { EntryAppended: _entry, MessageUpdated: _draft, QueueChanged: _queue, SubagentSaid: _said, ...described } = table
const { SessionNamed, ...controls } = described

const isControl = (value: unknown): value is ControlEvent => Predicate.hasProperty(value, "_tag")

const check = (written: object) => {
  const frame = { ...JSON.parse(JSON.stringify(written)), sessionId: "s", epoch: "e", seq: 1 }
  const schema = schemas.find(({ type }) => type === frame.type)?.schema ?? assert.fail(`no schema of ${frame.type}`)
  const decoded = Schema.decodeUnknownEither(schema, { onExcessProperty: "error" })(frame)
  if (Either.isLeft(decoded)) assert.fail(ParseResult.TreeFormatter.formatErrorSync(decoded.left))
  const order = SchemaAST.getPropertySignatures(schema.ast).map(({ name }) => name)
  assert.deepStrictEqual(
    Object.keys(frame),
    order.filter((name) => name in frame)
  )
}

describe("frames of events", () => {
  for (const [tag, { fields, type }] of Object.entries<{ type: string; fields: Schema.Struct.Fields }>(controls)) {
    it(`${type}: the frames of ${tag} have the members of their schemas, in their order`, () => {
      const arbitrary = Arbitrary.make(Schema.asSchema(Schema.Struct({ _tag: Schema.Literal(tag), ...fields })))
      const frames = FastCheck.sample(arbitrary, { numRuns: 30, seed: 35 }).flatMap((event) =>
        isControl(event) ? toFrames(event, { sessionFile: "/x.jsonl", subagents: "events" }) : []
      )
      assert.isNotEmpty(frames)
      for (const frame of frames) check(frame)
    })
  }

  it(`${SessionNamed.type}: a name is told twice`, () => {
    for (const name of ["x", undefined]) for (const frame of nameFrames(name)) check(frame)
  })

  it("a hook that fails has the name that hosts know its event by", () => {
    const nameOf = (event: string) => {
      const [frame] = toFrames({ _tag: "ExtensionFailed", extensionPath: "x", event, error: "no" }, {})
      return Predicate.hasProperty(frame, "event") ? frame.event : undefined
    }
    const others = new Map(
      Object.entries({ ModelChanged: "model_select", ThinkingLevelChanged: "thinking_level_select" })
    )
    for (const [tag, { type }] of Object.entries(table)) assert.strictEqual(nameOf(tag), others.get(tag) ?? type)
    assert.strictEqual(nameOf("toolCall"), "tool_call")
    assert.strictEqual(nameOf("load"), "load")
  })
})
