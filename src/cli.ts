/** Flags → mode → one layer → run. The only place that runs effects. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as RuntimeFlags from "effect/RuntimeFlags"
import * as RuntimeFlagsPatch from "effect/RuntimeFlagsPatch"
import packageJson from "../package.json" with { type: "json" }
import * as Process from "./layers/platform/processes/Process.ts"
import * as StderrLogger from "./layers/platform/stdio/StderrLogger.ts"
import * as CommandLine from "./layers/process/CommandLine.ts"
import * as ExitCode from "./layers/process/ExitCode.ts"
import * as Startup from "./layers/process/Startup.ts"
import * as KnownSecrets from "./layers/secrets/KnownSecrets.ts"
import { Sessions } from "./services/session/Sessions.ts"

const { version } = packageJson
const secrets = KnownSecrets.make()
const { stopSignal: stop, uptime } = Process

/** How long the disk may take at the end; what is written but not synced survives everything but a power cut. */
const lastSync = "500 millis"

const serve = Effect.fnUntraced(function* (options: CommandLine.StartOptions, quit: Effect.Effect<void>) {
  const Server = yield* Effect.promise(() => import("./rpc/Server.ts"))
  const signal = yield* Server.serve({ ...options, version, uptime, stop, quit })
  return signal === undefined ? ExitCode.done : ExitCode.bySignal[signal]
})

/** Reads the message while the agent is built. */
const answerOnce = Effect.fnUntraced(function* (options: CommandLine.StartOptions, place: Startup.Place) {
  const [OneShot, JsonLines] = yield* Effect.promise(() =>
    Promise.all([
      import("./layers/oneshot/OneShot.ts"),
      options.mode === "json" ? import("./rpc/oneshot/JsonLines.ts") : undefined
    ])
  )
  const request = yield* OneShot.read({ ...options, ...place })
  const open = JsonLines?.open({ ...options, version }) ?? OneShot.openText(options)
  return Effect.map(Effect.tap(OneShot.run({ request, open, stop }), Startup.report), ExitCode.ofOutcome)
})

/** The mode and its layers are loaded here, so that `--version` does not pay for them. */
const start = Effect.fnUntraced(function* (options: CommandLine.StartOptions) {
  if (options.mode === "interactive") return yield* Startup.noInteractive
  const place = yield* Startup.place(options)
  const [AgentLive, BunStdio] = yield* Effect.promise(() =>
    Promise.all([import("./layers/AgentLive.ts"), import("./layers/platform/stdio/BunStdio.ts")])
  )
  yield* Process.takeOver
  const quit = yield* Effect.makeLatch(false)
  const agent = AgentLive.layer({ ...options, ...place, secrets, version, shutdown: Effect.asVoid(quit.open) })
  const end = Effect.fnUntraced(function* (code: number) {
    const sessions = yield* Sessions
    yield* Effect.timeoutOption(Effect.disconnect(sessions.sync), lastSync)
    const isLost = code === ExitCode.done && (yield* sessions.hasLostWrites)
    yield* Process.endWith(isLost ? ExitCode.failed : code)
  })
  const act = Effect.gen(function* () {
    const run = options.mode === "rpc" ? serve(options, quit.await) : yield* answerOnce(options, place)
    yield* Effect.gen(function* () {
      yield* end(yield* run)
    }).pipe(Effect.provide(agent))
  })
  const stdio = options.terminals.stdin ? BunStdio.layerOutput : BunStdio.layer
  yield* act.pipe(Effect.provide(stdio), Effect.catchTags(Startup.explained))
})

const args = process.argv.slice(2)
const program = CommandLine.run(args, version, start).pipe(
  Effect.tapError((failure) => Process.printError(CommandLine.explain(args, failure))),
  Effect.tapErrorCause((cause) =>
    Cause.isFailure(cause) ? Effect.void : Effect.logFatal("heddle could not go on", cause)
  ),
  StderrLogger.use({ verbose: args.includes("--verbose"), mask: secrets.mask })
)

// Nobody reads what Effect would count about every fiber.
const uncounted = Effect.withRuntimeFlagsPatch(program, RuntimeFlagsPatch.disable(RuntimeFlags.RuntimeMetrics))
Effect.runFork(uncounted).addObserver((exit) => Process.exit(Exit.isSuccess(exit) ? undefined : ExitCode.failed))
