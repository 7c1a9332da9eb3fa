/** The modules of typebox, and those of its predecessor `@sinclair/typebox` in terms of it. */
import * as ExportedNames from "../ExportedNames.ts"
import { complete } from "../Stubs.ts"

type Values = Readonly<Record<string, unknown>>
type Bundle = typeof import("./typebox.js")

/** At once, not with `import()`: a virtual module must be ready when a CommonJS file requires it. */
const load = (): Bundle => require("./typebox.js")

const parts = ["compile", "error", "format", "guard", "schema", "system", "type", "value"] as const

/** `Type` for the modules that hand it on. Loads typebox at the first use of a member. */
export const lazyType = (): object =>
  new Proxy(
    {},
    {
      get: (_, key): unknown => Reflect.get(Object(load().main()["Type"]), key),
      has: (_, key) => Reflect.has(Object(load().main()["Type"]), key),
      ownKeys: () => Reflect.ownKeys(Object(load().main()["Type"])),
      getOwnPropertyDescriptor: (_, key) => ({
        value: Reflect.get(Object(load().main()["Type"]), key),
        enumerable: true,
        configurable: true
      })
    }
  )

/** The names of 0.34 that schemas were built with and that have other names in 1.x. */
const older = (): Values => ({
  Kind: Symbol.for("TypeBox.Kind"),
  Hint: Symbol.for("TypeBox.Hint"),
  OptionalKind: Symbol.for("TypeBox.Optional"),
  ReadonlyKind: Symbol.for("TypeBox.Readonly"),
  TransformKind: Symbol.for("TypeBox.Transform")
})

/** What each subpath of `@sinclair/typebox` has in typebox. */
const successors: Readonly<Record<string, () => Values>> = {
  ".": () => ({ ...older(), ...load().main() }),
  type: () => ({ ...older(), ...load().type() }),
  value: () => load().value(),
  compiler: () => ({ TypeCompiler: { Compile: load().compile()["Compile"] }, ...load().compile() }),
  errors: () => load().error(),
  system: () => load().system()
}

export const modules = (): ReadonlyMap<string, () => Values> => {
  const found = new Map<string, () => Values>([["typebox", () => ({ ...load().main() })]])
  for (const part of parts) {
    const values = () => ({ ...load()[part]() })
    found.set(`typebox/${part}`, values)
    found.set(`@sinclair/typebox/${part}`, values)
  }
  for (const path of ExportedNames.sinclairPaths) {
    const specifier = path === "." ? "@sinclair/typebox" : `@sinclair/typebox/${path}`
    found.set(specifier, () => complete(ExportedNames.ofSinclair(path), successors[path]?.() ?? {}))
  }
  return found
}
