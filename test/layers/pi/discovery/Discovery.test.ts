import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { join } from "node:path"
import * as Discovery from "../../../../src/layers/pi/discovery/Discovery.ts"
import { ExtensionNotFound } from "../../../../src/layers/pi/discovery/Finder.ts"
import { type Files, local, OwnFiles } from "../../../../src/layers/machine/files/own/OwnFiles.ts"
import * as Declared from "../../../../src/layers/workspace/settings/Declared.ts"
import * as StaticSettings from "../../../../src/layers/workspace/settings/StaticSettings.ts"
import * as Trust from "../../../../src/services/Trust.ts"
import { code, makeUser } from "./support.ts"

/** Files that count how often they are asked. */
const counting = () => {
  const asked: Array<string> = []
  const files: Files = { ...local, state: (path) => (asked.push(path), local.state(path)) }
  return { asked, layer: Layer.succeed(OwnFiles, files) }
}

const lists = (user: object, project: object = {}) =>
  Declared.from("/w", [
    { scope: "user", baseDir: "/a", values: user },
    { scope: "project", baseDir: "/w/.heddle", values: project }
  ])

it.scoped("nothing to load is known after one look at a folder, two in a trusted project", () =>
  Effect.gen(function* () {
    const root = yield* makeUser({})
    const [agentDir, cwd] = [join(root, "agent"), join(root, "work")]
    const look = (options: object, declared: Declared.DeclaredExtensions, trusted: boolean) => {
      const { asked, layer } = counting()
      const empty = Discovery.isEmpty({ agentDir, cwd, ...options }, declared, trusted)
      return Effect.map(Effect.provide(empty, layer), (isEmpty) => [
        isEmpty,
        asked.map((path) => path.replace(root, ""))
      ])
    }
    assert.deepStrictEqual(yield* look({}, Declared.none, false), [true, ["/agent/extensions"]])
    assert.deepStrictEqual(yield* look({}, Declared.none, true), [
      true,
      ["/agent/extensions", "/work/.heddle/extensions"]
    ])
    assert.deepStrictEqual(yield* look({ noExtensions: true }, Declared.none, true), [true, []])
    assert.deepStrictEqual(yield* look({ extensionPaths: ["x"] }, Declared.none, false), [false, []])
    assert.deepStrictEqual(yield* look({}, lists({ packages: ["x"] }), false), [false, []])
    assert.deepStrictEqual(yield* look({}, lists({}, { packages: ["x"] }), true), [false, []])
    assert.deepStrictEqual(yield* look({}, lists({}, { packages: ["x"] }), false), [true, ["/agent/extensions"]])
  })
)

it.scoped("the search follows the level of trust, the lists and the settings of the process", () =>
  Effect.gen(function* () {
    const root = yield* makeUser({
      "agent/extensions/u.ts": code,
      "agent/extensions/off.ts": code,
      "work/.heddle/extensions/p.ts": code
    })
    const options = { agentDir: join(root, "agent"), cwd: join(root, "work") }
    const names = (level: Trust.TrustLevel, only?: "project") =>
      Discovery.find(options, only === undefined ? {} : { only }).pipe(
        Effect.map(({ extensions }) => extensions.map(({ name }) => name)),
        Effect.provide(StaticSettings.layer({ disabledExtensions: ["off"] })),
        Effect.provideService(Trust.Trust, Trust.fixed(level))
      )
    assert.deepStrictEqual(yield* names("untrusted"), ["u"])
    assert.deepStrictEqual(yield* names("trusted"), ["p", "u"])
    assert.deepStrictEqual(yield* names("trusted", "project"), ["p"])
    const empty = { agentDir: join(root, "none"), cwd: join(root, "work") }
    const found = Effect.provide(Discovery.find(empty), StaticSettings.layer())
    assert.deepStrictEqual(yield* found, Discovery.nothing)
  })
)

it.scoped("a wrong argument of -e is found before anything is looked for", () =>
  Effect.gen(function* () {
    const root = yield* makeUser({ "work/a.ts": code })
    const options = { agentDir: join(root, "agent"), cwd: join(root, "work") }
    yield* Discovery.check(options)
    yield* Discovery.check({ ...options, extensionPaths: ["a.ts"] })
    const [path, reason] = ["b.ts", "no such file or folder"]
    const given = yield* Effect.flip(Discovery.check({ ...options, extensionPaths: ["a.ts", path] }))
    assert.deepStrictEqual(given, new ExtensionNotFound({ option: "--extension", path, reason }))
    const required = yield* Effect.flip(Discovery.check({ ...options, requiredPaths: ["a.ts", path] }))
    assert.deepStrictEqual(required, new ExtensionNotFound({ option: "--require-extension", path, reason }))
  })
)
