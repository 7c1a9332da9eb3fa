import { assert, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import * as CommandLine from "../../../../src/layers/modes/cli/CommandLine.ts"

const parse = (...given: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const started = yield* Deferred.make<CommandLine.StartOptions>()
    const args = ["--mode", "rpc", ...given]
    yield* CommandLine.run(args, "0", (options) => Effect.asVoid(Deferred.succeed(started, options)))
    const { noBuiltinTools, noTools, tools } = yield* Deferred.await(started)
    return { tools, noTools, noBuiltinTools }
  })

it.effect("which tools were asked for", () =>
  Effect.gen(function* () {
    const none = { tools: undefined, noTools: false, noBuiltinTools: false }
    assert.deepStrictEqual(yield* parse(), none)
    assert.deepStrictEqual(yield* parse("--tools", "read, ls,"), { ...none, tools: ["read", "ls"] })
    assert.deepStrictEqual(yield* parse("--tools=grep"), { ...none, tools: ["grep"] })
    assert.deepStrictEqual(yield* parse("--no-tools"), { ...none, noTools: true })
    assert.deepStrictEqual(yield* parse("--no-builtin-tools"), { ...none, noBuiltinTools: true })
    for (const other of ["--no-tools", "--no-builtin-tools"]) {
      const failure = yield* Effect.flip(parse("--tools", "read", other))
      assert.strictEqual(failure._tag, "StartupFailure")
    }
  })
)
