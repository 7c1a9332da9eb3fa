/** Flags → mode → one layer → run. The only place that runs effects. */
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import packageJson from "../package.json" with { type: "json" }
import * as Process from "./layers/machine/processes/Process.ts"
import * as StderrLogger from "./layers/machine/stdio/StderrLogger.ts"
import * as CommandLine from "./layers/modes/cli/CommandLine.ts"
import * as ExitCode from "./layers/modes/cli/ExitCode.ts"
import * as Main from "./layers/modes/cli/Main.ts"
import * as Startup from "./layers/modes/cli/Startup.ts"
import * as KnownSecrets from "./layers/machine/secrets/KnownSecrets.ts"

const { version } = packageJson
const secrets = KnownSecrets.make()
const { uptime } = Process

const serve = Effect.fnUntraced(function* (options: CommandLine.StartOptions, quit: Effect.Effect<void>) {
  const Server = yield* Effect.promise(() => import("./rpc/Server.ts"))
  return Effect.as(Server.serve({ ...options, version, uptime, quit }), ExitCode.done)
})

/** Reads the message while the agent is built. */
const answerOnce = Effect.fnUntraced(function* (options: CommandLine.StartOptions, folders: Startup.Folders) {
  const [OneShot, JsonLines] = yield* Effect.promise(() =>
    Promise.all([
      import("./layers/modes/oneshot/OneShot.ts"),
      options.mode === "json" ? import("./rpc/oneshot/JsonLines.ts") : undefined
    ])
  )
  const request = yield* OneShot.read({ ...options, ...folders })
  const open = JsonLines?.open({ ...options, version }) ?? OneShot.openText(options)
  return Effect.map(Effect.tap(OneShot.run({ request, open }), Startup.report), ExitCode.ofOutcome)
})

/** The screen is drawn before the agent is built. */
const converse = Effect.fnUntraced(function* (options: CommandLine.StartOptions & Startup.Folders, quit: Startup.Quit) {
  const Interactive = yield* Effect.promise(() => import("./layers/modes/terminal/Interactive.ts"))
  const session = Main.session(Effect.as(Interactive.run({ ...options, quit }), ExitCode.done))
  yield* session.pipe(Effect.provide(agentOf(options, quit)), Interactive.onScreen({ version, mask: secrets.mask }))
})

const agentOf = (options: CommandLine.StartOptions & Startup.Folders, quit: Startup.Quit) =>
  Startup.agent({ ...options, secrets, version }, quit)

/** The mode and its layers are loaded here, so that `--version` does not pay for them. */
const start = Effect.fnUntraced(function* (options: CommandLine.StartOptions) {
  const folders = yield* Startup.folders(options)
  yield* Process.takeOver
  const quit = yield* Startup.makeQuit
  const act = Effect.gen(function* () {
    const session = yield* options.mode === "rpc" ? serve(options, Effect.ignore(quit)) : answerOnce(options, folders)
    yield* Effect.provide(Main.session(session), agentOf({ ...options, ...folders }, quit))
  })
  const written = Effect.flatMap(
    Effect.promise(() => import("./layers/machine/stdio/BunStdio.ts")),
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

BunRuntime.runMain(Main.prepare(program), Main.options)
