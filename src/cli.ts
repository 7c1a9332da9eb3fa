/** Flags → mode → one layer → run. The only place that runs effects. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as RuntimeFlags from "effect/RuntimeFlags"
import * as RuntimeFlagsPatch from "effect/RuntimeFlagsPatch"
import packageJson from "../package.json" with { type: "json" }
import * as Process from "./layers/platform/processes/Process.ts"
import { scheduler } from "./layers/platform/Primordials.ts"
import * as StderrLogger from "./layers/platform/stdio/StderrLogger.ts"
import * as CommandLine from "./layers/process/CommandLine.ts"
import * as ExitCode from "./layers/process/ExitCode.ts"
import * as Startup from "./layers/process/Startup.ts"
import * as KnownSecrets from "./layers/secrets/KnownSecrets.ts"

const { version } = packageJson
const secrets = KnownSecrets.make()
const { stopSignal: stop, uptime } = Process

const serve = Effect.fnUntraced(function* (options: CommandLine.StartOptions, quit: Effect.Effect<void>) {
  const Server = yield* Effect.promise(() => import("./rpc/Server.ts"))
  return ExitCode.ofSignal(yield* Server.serve({ ...options, version, uptime, stop, quit }))
})

/** Reads the message while the agent is built. */
const answerOnce = Effect.fnUntraced(function* (options: CommandLine.StartOptions, folders: Startup.Folders) {
  const [OneShot, JsonLines] = yield* Effect.promise(() =>
    Promise.all([
      import("./layers/oneshot/OneShot.ts"),
      options.mode === "json" ? import("./rpc/oneshot/JsonLines.ts") : undefined
    ])
  )
  const request = yield* OneShot.read({ ...options, ...folders })
  const open = JsonLines?.open({ ...options, version }) ?? OneShot.openText(options)
  return Effect.map(Effect.tap(OneShot.run({ request, open, stop }), Startup.report), ExitCode.ofOutcome)
})

/** The screen is drawn before the agent is built. */
const converse = Effect.fnUntraced(function* (options: CommandLine.StartOptions & Startup.Folders, quit: Startup.Quit) {
  const Interactive = yield* Effect.promise(() => import("./layers/terminal/Interactive.ts"))
  const session = Interactive.run({ ...options, quit, stop: Process.endSignal })
  const ended = Effect.flatMap(session, (signal) => ExitCode.end(ExitCode.ofSignal(signal)))
  yield* ended.pipe(Effect.provide(agentOf(options, quit)), Interactive.onScreen({ version, mask: secrets.mask }))
})

const agentOf = (options: CommandLine.StartOptions & Startup.Folders, quit: Startup.Quit) =>
  Startup.agent({ ...options, secrets, version }, quit)

/** The mode and its layers are loaded here, so that `--version` does not pay for them. */
const start = Effect.fnUntraced(function* (options: CommandLine.StartOptions) {
  const folders = yield* Startup.folders(options)
  yield* Process.takeOver
  const quit = yield* Startup.makeQuit
  const act = Effect.gen(function* () {
    const run = options.mode === "rpc" ? serve(options, Effect.ignore(quit)) : yield* answerOnce(options, folders)
    yield* Effect.provide(Effect.flatMap(run, ExitCode.end), agentOf({ ...options, ...folders }, quit))
  })
  const written = Effect.flatMap(
    Effect.promise(() => import("./layers/platform/stdio/BunStdio.ts")),
    (BunStdio) => Effect.provide(act, options.terminals.stdin ? BunStdio.layerOutput : BunStdio.layer)
  )
  const session = options.mode === "interactive" ? converse({ ...options, ...folders }, quit) : written
  yield* Effect.catchTags(session, Startup.explained)
})

const args = process.argv.slice(2)
const program = CommandLine.run(args, version, start).pipe(
  Effect.tapError((failure) => Process.printError(CommandLine.explain(args, failure))),
  Effect.tapErrorCause((cause) =>
    Cause.isFailure(cause) ? Effect.void : Effect.logFatal("heddle could not go on", cause)
  ),
  StderrLogger.use({ verbose: args.includes("--verbose"), mask: secrets.mask })
)

// The metrics that Effect keeps about every fiber are not read.
const uncounted = Effect.withRuntimeFlagsPatch(program, RuntimeFlagsPatch.disable(RuntimeFlags.RuntimeMetrics))
Effect.runFork(uncounted, { scheduler }).addObserver((exit) =>
  Process.exit(Exit.isSuccess(exit) ? undefined : ExitCode.failed)
)
