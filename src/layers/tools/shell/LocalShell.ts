/** The Shell service on this machine. Its scope owns every process that was started through it. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { defined, once } from "../../../domain/Values.ts"
import { Processes } from "../../../services/machine/Processes.ts"
import { Decided, decided as escalated, Sandbox } from "../../../services/machine/Sandbox.ts"
import { type OtherMeans, Shell, ShellFailure, type ShellRequest, type ShellResult } from "../../../services/Shell.ts"
import * as Supervision from "../../../services/supervision/Supervision.ts"
import { inherited } from "../../machine/processes/Environment.ts"
import { KnownSecrets } from "../../machine/secrets/KnownSecrets.ts"
import * as Artifact from "./Artifact.ts"
import * as Environment from "./Environment.ts"
import * as ShellCommand from "./ShellCommand.ts"

export interface LocalShellOptions {
  readonly cwd: string
  readonly shellPath?: string
  /** A line that runs before every command. */
  readonly commandPrefix?: string
}

const defaultTimeoutMs = 300_000

/** Milliseconds between TERM and KILL for commands, and for background jobs. After a signal, no more time is left for jobs. */
const commandGrace = { open: 100, closed: 500 }
const jobGrace = { end: 2000, signal: 100 }

/** What the sandbox says about a command that it has held, and about where its full output can be read. */
const makeJudge = Effect.map(Sandbox, (sandbox) => (request: ShellRequest, result: ShellResult) => {
  if (sandbox === undefined) return Effect.succeed(result)
  if (result.fullOutputPath !== undefined) sandbox.show(result.fullOutputPath)
  if (request.instead !== undefined) return Effect.succeed(result)
  return Effect.flatMap(Decided, (decision) =>
    decision === "without"
      ? Effect.succeed(result)
      : Effect.map(sandbox.judge(result), (judged): ShellResult => ({ ...result, sandbox: judged }))
  )
})

interface UserCommand {
  readonly cancel: Effect.Latch
  readonly gone: Effect.Latch
}

export const make = Effect.fnUntraced(function* (options: LocalShellOptions) {
  const { commandPrefix, cwd, shellPath = "bash" } = options
  const artifacts = yield* Artifact.make()
  const processes = yield* Processes
  const secrets = yield* KnownSecrets
  const judge = yield* makeJudge
  let closed = false
  const grace = () => commandGrace[closed ? "closed" : "open"]
  const tree = yield* processes.tree({ shellPath, grace, jobGrace: jobGrace.end })
  const userCommands = new Set<UserCommand>()

  const environment = once(() => Environment.forCommands(inherited()))
  const execute = (request: ShellRequest, cancel?: Effect.Effect<void>) =>
    Effect.flatMap(secrets.collected, () => {
      if (closed) return new ShellFailure({ reason: "closing", message: "The session is closing." })
      const ran = ShellCommand.run(
        { tree, artifacts, mask: secrets.stream() },
        {
          command: commandPrefix === undefined ? request.command : `${commandPrefix}\n${request.command}`,
          cwd: request.cwd ?? cwd,
          env: environment()(request.env),
          timeoutMs: request.timeoutMs ?? defaultTimeoutMs,
          cancel,
          hooks: request
        }
      )
      return Effect.flatMap(ran, (result) => judge(request, result))
    })

  /** A command that is cancelled before it is known how to run it is one that ends at once. */
  const decided = (request: ShellRequest, cancel: Effect.Effect<void>): Effect.Effect<ShellRequest, ShellFailure> => {
    const { approve, ask, ...rest } = request
    const none: OtherMeans = () => Effect.never
    const asked =
      ask === undefined ? Effect.succeed(undefined) : Effect.raceFirst(Effect.disconnect(ask), Effect.as(cancel, none))
    return Effect.flatMap(asked, (instead) => {
      const known = instead === undefined ? rest : { ...rest, instead }
      const question = instead === none ? undefined : approve?.()
      if (question === undefined) return Effect.succeed(known)
      const answered = Effect.map(question, (escalation) => ({ ...known, ...defined({ escalation }) }))
      return Effect.raceFirst(answered, Effect.as(cancel, { ...rest, instead: none }))
    })
  }

  const runForUser = (request: ShellRequest) =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const command = { cancel: Effect.unsafeMakeLatch(false), gone: Effect.unsafeMakeLatch(false) }
        userCommands.add(command)
        return command
      }),
      ({ cancel }) =>
        Supervision.node({ kind: "bash", label: request.command, end: Effect.asVoid(cancel.open) }, () =>
          Effect.flatMap(decided(request, cancel.await), (known) => {
            const running = execute(known, cancel.await)
            return known.escalation === undefined ? running : escalated(known.escalation)(running)
          })
        ),
      (command) =>
        Effect.suspend(() => {
          userCommands.delete(command)
          return command.gone.open
        })
    )

  const cancelUser = Effect.suspend(() =>
    Effect.forEach([...userCommands], ({ cancel, gone }) => Effect.zipRight(cancel.open, gone.await), {
      concurrency: "unbounded",
      discard: true
    })
  )

  return Shell.of({
    run: (request) => execute(request),
    runForUser: Effect.fn("Shell.runForUser")(runForUser),
    cancelUser,
    isUserRunning: Effect.sync(() => userCommands.size > 0),
    close: Effect.suspend(() => {
      closed = true
      return cancelUser
    }),
    endBackground: (cause) => tree.endAll(jobGrace[cause])
  })
})

export const layer = (options: LocalShellOptions): Layer.Layer<Shell, never, Processes> =>
  Layer.scoped(Shell, make(options))
