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
import { StartupFailure } from "./layers/process/arguments/OptionTable.ts"
import * as KnownSecrets from "./layers/secrets/KnownSecrets.ts"
import { Sessions } from "./services/session/Sessions.ts"

const { version } = packageJson
const secrets = KnownSecrets.make()

/** What the process ends with (protocol.md 1.4). */
const signalCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const
/** How long the disk may take at the end; what is written but not synced survives everything but a power cut. */
const lastSync = "500 millis"
const refused = ({ message }: Error) => new StartupFailure({ code: "STARTUP_ERROR", message })
const unusable = ({ message }: Pick<Error, "message">) => new StartupFailure({ code: "INVALID_ARG", message })

/** The mode and its layers are loaded here, so that `--version` does not pay for them. */
const startRpc = Effect.fnUntraced(function* (options: CommandLine.StartOptions) {
  const wanted = options.cwd ?? (yield* Process.currentFolder)
  const cwd = yield* Process.folder(wanted)
  if (cwd === undefined) return yield* unusable({ message: `--cwd: no such folder: ${wanted}` })
  const [AgentLive, BunStdio, Server] = yield* Effect.promise(() =>
    Promise.all([
      import("./layers/AgentLive.ts"),
      import("./layers/platform/stdio/BunStdio.ts"),
      import("./rpc/Server.ts")
    ])
  )
  yield* Process.takeOver
  const quit = yield* Effect.makeLatch(false)
  const place = { cwd, agentDir: yield* Process.agentDir }
  const agent = AgentLive.layer({ ...options, ...place, secrets, version, shutdown: Effect.asVoid(quit.open) })
  const { stopSignal: stop, uptime } = Process
  const server = Server.serve({ ...options, version, uptime, stop, quit: quit.await })
  const end = Effect.fnUntraced(function* (signal: Process.StopSignal | undefined) {
    const sessions = yield* Sessions
    yield* Effect.timeoutOption(Effect.disconnect(sessions.sync), lastSync)
    const code = (yield* sessions.hasLostWrites) ? 1 : 0
    yield* Process.endWith(signal === undefined ? code : signalCodes[signal])
  })
  yield* server.pipe(
    Effect.tap(end),
    Effect.provide(agent),
    Effect.provide(BunStdio.layer),
    Effect.catchTags({
      ExtensionNotFound: unusable,
      UnusableOption: unusable,
      SessionNotFound: unusable,
      AmbiguousSession: unusable,
      NotASession: unusable,
      NewerSession: unusable,
      SessionInUse: refused,
      StoreFailure: refused,
      OptionRefused: unusable,
      UnknownModel: ({ message }) => new StartupFailure({ code: "NO_MODEL", message }),
      UnknownTool: ({ message }) => new StartupFailure({ code: "INVALID_ARG", message: `--tools: ${message}` })
    })
  )
})

const args = process.argv.slice(2)
const program = CommandLine.run(args, version, startRpc).pipe(
  Effect.tapError((failure) => Process.printError(CommandLine.explain(args, failure))),
  Effect.tapErrorCause((cause) =>
    Cause.isFailure(cause) ? Effect.void : Effect.logFatal("heddle could not go on", cause)
  ),
  StderrLogger.use({ verbose: args.includes("--verbose"), mask: secrets.mask })
)

// Nobody reads what Effect would count about every fiber.
const uncounted = Effect.withRuntimeFlagsPatch(program, RuntimeFlagsPatch.disable(RuntimeFlags.RuntimeMetrics))
Effect.runFork(uncounted).addObserver((exit) => Process.exit(Exit.isSuccess(exit) ? undefined : 1))
