import { assert, it } from "@effect/vitest"
import { Schema, SchemaAST } from "effect"
import { optional } from "../../../src/domain/conversation/Content.ts"
import * as NullMembers from "../../../src/rpc/decoding/NullMembers.ts"
import { commands } from "../../../src/rpc/registry.ts"

const membersOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.PropertySignature> => {
  if (ast._tag === "TypeLiteral") return ast.propertySignatures
  return ast._tag === "Refinement" || ast._tag === "Transformation" ? membersOf(ast.from) : []
}

it("every optional member of every command may be null", () => {
  let members = 0
  for (const { name, params } of commands) {
    const { ast } = params
    const optionals = membersOf(ast).filter(({ isOptional }) => isOptional)
    members += optionals.length
    const nulls = Object.fromEntries(optionals.map(({ name }) => [String(name), null]))
    assert.deepStrictEqual(NullMembers.drop(ast, { ...nulls, type: name, other: null }), { type: name, other: null })
  }
  assert.isAbove(members, 40)
})

it("null is dropped inside lists, unions and refinements, and kept where a member is required or may be null", () => {
  const item = Schema.Struct({ a: optional(Schema.String), b: Schema.NullOr(Schema.String) })
  const schema = Schema.Struct({
    items: Schema.Array(Schema.Union(item, Schema.String)),
    deep: optional(item.pipe(Schema.filter(() => true)))
  })
  assert.deepStrictEqual(
    NullMembers.drop(schema.ast, { items: ["x", { a: null, b: null }], deep: { a: null, b: "b" }, extra: null }),
    { items: ["x", { b: null }], deep: { b: "b" }, extra: null }
  )
})
