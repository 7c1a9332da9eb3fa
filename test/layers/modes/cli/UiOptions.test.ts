import { assert, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { Environment } from "../../../../src/layers/machine/processes/Environment.ts"
import * as CommandLine from "../../../../src/layers/modes/cli/CommandLine.ts"

const parse = (title: string | undefined, ...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const started = yield* Deferred.make<CommandLine.StartOptions>()
    yield* CommandLine.run(args, "0", (options) => Effect.asVoid(Deferred.succeed(started, options)))
    const { emitTitle, ui } = yield* Deferred.await(started)
    return { ui, emitTitle }
  }).pipe(Effect.provideService(Environment, { get: (name) => (name === "PI_RPC_EMIT_TITLE" ? title : undefined) }))

it.effect.each([
  [["--mode", "rpc"], true],
  [["--mode", "rpc-ui"], true],
  [["--mode", "rpc", "--no-ui"], false],
  [["--mode", "rpc-ui", "--no-ui"], false]
] as const)("%j: the host is asked: %s", ([args, ui]) =>
  Effect.map(parse(undefined, ...args), (options) => assert.deepStrictEqual(options, { ui, emitTitle: false }))
)

it.effect.each([
  ["1", true],
  ["true", true],
  ["YES", true],
  [" on ", true],
  ["0", false],
  ["false", false],
  ["", false],
  ["title", false]
] as const)("PI_RPC_EMIT_TITLE=%s sends titles: %s", ([title, emitTitle]) =>
  Effect.map(parse(title, "--mode", "rpc"), (options) => assert.deepStrictEqual(options, { ui: true, emitTitle }))
)
