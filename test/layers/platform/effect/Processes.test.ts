/** Processes over the CommandExecutor of Effect, beside heddle's own. */
import * as BunCommandExecutor from "@effect/platform-bun/BunCommandExecutor"
import * as BunFileSystem from "@effect/platform-bun/BunFileSystem"
import { CommandExecutor } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as LocalProcesses from "../../../../src/layers/platform/processes/LocalProcesses.ts"
import * as Bash from "../../../../src/layers/tools/Bash.ts"
import * as LocalShell from "../../../../src/layers/tools/shell/LocalShell.ts"
import { ProcessesFromCommandExecutor } from "../../../../src/platform.ts"
import { Shell } from "../../../../src/services/Shell.ts"
import { ProcessesConformance } from "../../../../src/testing.ts"
import { run, textOf } from "../../tools/RunTool.ts"

const executor = Layer.provide(BunCommandExecutor.layer, BunFileSystem.layer)
const bridged = Layer.provide(ProcessesFromCommandExecutor.layer, executor)

describe("LocalProcesses", () => {
  for (const { name, run: check } of [...ProcessesConformance.checks, ...ProcessesConformance.beyondGroups])
    it.scopedLive(name, () => Effect.provide(check, LocalProcesses.layer))
})

describe("Processes over BunCommandExecutor", () => {
  for (const { name, run: check } of ProcessesConformance.checks)
    it.scopedLive(name, () => Effect.provide(check, bridged))

  // The list of what the bridge cannot do holds as long as each of these fails.
  for (const { name, run: check } of ProcessesConformance.beyondGroups)
    it.scopedLive(`cannot: ${name}`, () =>
      Effect.gen(function* () {
        const failure = yield* Effect.flip(check)
        assert.include(["NotConforming", "SpawnFailed"], failure._tag)
      }).pipe(Effect.provide(bridged))
    )
})

it.scopedLive("the tool bash runs commands where the executor of a program runs them", () =>
  Effect.gen(function* () {
    const commands: Array<string> = []
    const watched = Layer.effect(
      CommandExecutor.CommandExecutor,
      Effect.map(CommandExecutor.CommandExecutor, ({ start }) =>
        CommandExecutor.makeExecutor((command) => {
          if (command._tag === "StandardCommand") commands.push(command.args.join(" "))
          return start(command)
        })
      )
    ).pipe(Layer.provide(executor))
    const processes = Layer.provide(ProcessesFromCommandExecutor.layer, watched)
    const context = yield* Layer.build(
      Layer.provide(LocalShell.layer({ cwd: "/tmp", shellPath: "/bin/sh" }), processes)
    )
    const bash = Bash.make({ cwd: "/tmp", shell: Context.get(context, Shell) })
    const { content } = yield* run(bash, { command: "echo in $PWD; echo out of $PWD >&2" })
    assert.strictEqual(textOf({ content }), "in /tmp\nout of /tmp\n")
    assert.isTrue(commands.some((command) => command.includes("echo in $PWD")))
    const failed = yield* Effect.flip(run(bash, { command: "exit 4" }))
    assert.include(failed.message, "exited with code 4")
    const late = yield* Effect.flip(run(bash, { command: "echo begun; sleep 1000", timeout: 1 }))
    assert.include(late.message, "begun")
  })
)
