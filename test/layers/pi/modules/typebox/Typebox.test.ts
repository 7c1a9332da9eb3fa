import { assert, describe, it } from "@effect/vitest"
import * as ExportedNames from "../../../../../src/layers/pi/modules/ExportedNames.ts"
import * as Typebox from "../../../../../src/layers/pi/modules/typebox/Typebox.ts"
import { call, get } from "../../../../support/extensions/Calling.ts"

const modules = Typebox.modules()
const valuesOf = (specifier: string) => modules.get(specifier)?.() ?? {}

const plain = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema, (key, value) => (key.startsWith("~") ? undefined : value)))

describe("typebox", () => {
  it("builds the schemas that extensions build", () => {
    const Type = get(valuesOf("typebox"), "Type")
    const schema = call(Type, "Object", {
      path: call(Type, "String", { description: "where" }),
      count: call(Type, "Optional", call(Type, "Integer")),
      kind: call(Type, "Union", [call(Type, "Literal", "a"), call(Type, "Literal", "b")])
    })
    assert.deepStrictEqual(plain(schema), {
      type: "object",
      required: ["path", "kind"],
      properties: {
        path: { type: "string", description: "where" },
        count: { type: "integer" },
        kind: {
          anyOf: [
            { type: "string", const: "a" },
            { type: "string", const: "b" }
          ]
        }
      }
    })
  })

  it("checks values and compiles", () => {
    const schema = call(get(valuesOf("typebox"), "Type"), "Number")
    assert.isTrue(call(get(valuesOf("typebox/value"), "Value"), "Check", schema, 3))
    assert.isFalse(call(valuesOf("@sinclair/typebox/value"), "Check", schema, "3"))
    const compiled = call(valuesOf("typebox/compile"), "Compile", schema)
    assert.deepStrictEqual([call(compiled, "Check", 3), call(compiled, "Check", "x")], [true, false])
  })

  it("serves its predecessor with every name of 0.34", () => {
    for (const path of ExportedNames.sinclairPaths) {
      const values = valuesOf(path === "." ? "@sinclair/typebox" : `@sinclair/typebox/${path}`)
      assert.deepStrictEqual(
        ExportedNames.ofSinclair(path).filter((name) => !Object.hasOwn(values, name)),
        [],
        path
      )
    }
    const compiler = get(valuesOf("@sinclair/typebox/compiler"), "TypeCompiler")
    const compiled = call(compiler, "Compile", call(get(valuesOf("@sinclair/typebox"), "Type"), "String"))
    assert.isTrue(call(compiled, "Check", "x"))
    assert.strictEqual(get(valuesOf("@sinclair/typebox"), "Kind"), Symbol.for("TypeBox.Kind"))
  })

  it("keeps its licence with the bundle", async () => {
    const text = await Bun.file(`${import.meta.dirname}/../../../../../src/layers/pi/modules/typebox/typebox.js`).text()
    assert.match(text, /^\/\*! typebox 1\.[\s\S]*Permission is hereby granted[\s\S]*\*\//)
  })

  it("the Type of other modules is the same one", () => {
    const Type = Typebox.lazyType()
    assert.strictEqual(get(Type, "String"), get(get(valuesOf("typebox"), "Type"), "String"))
    assert.isTrue("Object" in Type)
    assert.include(Object.keys(Type), "Array")
  })
})
