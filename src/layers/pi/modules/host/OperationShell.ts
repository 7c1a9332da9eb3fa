/** The shell that an extension gives its `bash`, and the changes that it makes to commands of the local one. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import { type Shell, ShellFailure, type ShellRequest, type ShellResult } from "../../../../services/Shell.ts"
import * as Stopwatch from "../../../../services/Stopwatch.ts"
import * as ForeignValue from "../../../machine/foreign/ForeignValue.ts"
import { inherited } from "../../../machine/processes/Environment.ts"
import type { Artifacts } from "../../../tools/shell/Artifact.ts"
import * as OutputRecorder from "../../../tools/shell/OutputRecorder.ts"
import type { Operations, ToolOptions } from "../HostBindings.ts"

type ShellService = typeof Shell.Service
type Exec = NonNullable<Operations["exec"]>
type Environment = Readonly<Record<string, string | undefined>>

/** Chunks that wait to be recorded; the extension cannot be slowed down. */
const mostChunks = 100_000
const updateInterval = 100
const defaultTimeoutMs = 300_000

type Ending = Pick<ShellResult, "cancelled" | "timedOut"> & { readonly exitCode?: number }
const timedOut: Ending = { cancelled: false, timedOut: true }

/** pi's operations reject with these texts. */
const endingOf = (cause: unknown): Effect.Effect<Ending, ShellFailure> => {
  const message = ForeignValue.textOf(cause)
  if (/^timeout(:|$)/.test(message)) return Effect.succeed(timedOut)
  if (/^aborted$/.test(message)) return Effect.succeed({ cancelled: true, timedOut: false })
  return new ShellFailure({ reason: "not_started", message })
}

const compose = (recorded: OutputRecorder.Recorded, ending: Ending, durationMs: number): ShellResult => {
  const { content, firstLineExceedsLimit: _, ...truncation } = recorded.truncation
  return {
    output: content,
    ...ending,
    ...truncation,
    ...Option.match(recorded.artifact, {
      onNone: () => ({}),
      onSome: ({ id, path }) => ({ fullOutputPath: path, artifactId: id })
    }),
    ...Option.match(recorded.artifactError, { onNone: () => ({}), onSome: (artifactError) => ({ artifactError }) }),
    durationMs
  }
}

/** Records chunks until the mailbox ends, and shows the output so far from time to time. */
const record = Effect.fnUntraced(function* (
  chunks: Mailbox.ReadonlyMailbox<Uint8Array>,
  recorder: OutputRecorder.OutputRecorder,
  onUpdate: ShellRequest["onUpdate"]
) {
  let shown = yield* Stopwatch.reading
  while (true) {
    const [batch, done] = yield* chunks.takeAll
    for (const chunk of batch) {
      const waiting = recorder.push(chunk)
      if (waiting !== undefined) yield* waiting
    }
    if (done) return
    const now = yield* Stopwatch.reading
    if (onUpdate === undefined || now - shown < updateInterval) continue
    shown = now
    yield* onUpdate(recorder.snapshot().content)
  }
})

const execute = (exec: Exec, request: ShellRequest & { readonly cwd: string }, chunks: Mailbox.Mailbox<Uint8Array>) =>
  Effect.gen(function* () {
    const { command, cwd, env = {}, timeoutMs = defaultTimeoutMs } = request
    const flooded = yield* Deferred.make<never, ShellFailure>()
    const tooFast = new ShellFailure({
      reason: "not_started",
      message: "the command writes faster than it can be read"
    })
    const onData = (data: Uint8Array | string) => {
      const bytes = typeof data === "string" ? new TextEncoder().encode(data) : Uint8Array.from(data)
      if (!chunks.unsafeOffer(bytes)) Deferred.unsafeDone(flooded, tooFast)
    }
    const running = Effect.tryPromise({
      try: async (signal): Promise<Ending> => {
        const options = { onData, signal, timeout: timeoutMs / 1000, env: { ...inherited(), ...env } }
        const { exitCode } = await exec(command, cwd, options)
        return { exitCode: exitCode ?? -1, cancelled: false, timedOut: false }
      },
      catch: (cause) => cause
    }).pipe(Effect.catchAll(endingOf), Effect.raceFirst(Deferred.await(flooded)))
    return Option.getOrElse(yield* Effect.timeoutOption(running, timeoutMs), () => timedOut)
  })

const runWith = (exec: Exec, artifacts: Artifacts) =>
  Effect.fnUntraced(function* (request: ShellRequest & { readonly cwd: string }) {
    const began = yield* Stopwatch.reading
    const { artifacts: folder = Effect.succeedNone, onDelta, onUpdate } = request
    const recorder = OutputRecorder.make({ open: Effect.flatMap(folder, artifacts.open), onDelta })
    const chunks = yield* Mailbox.make<Uint8Array>({ capacity: mostChunks, strategy: "dropping" })
    const ending = execute(exec, request, chunks).pipe(Effect.ensuring(chunks.end))
    const [ended] = yield* Effect.all([ending, record(chunks, recorder, onUpdate)], { concurrency: 2 })
    return compose(yield* recorder.finish, ended, yield* Stopwatch.since(began))
  }, Effect.scoped)

const differing = (env: Environment, from: Environment): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined || from[name] === value ? [] : [[name, value]]))
  )

/** The request as the options of the extension change it. */
const changed = (request: ShellRequest, { commandPrefix, cwd: folder, spawnHook }: ToolOptions) => {
  const { cwd = folder } = request
  const command = commandPrefix === undefined ? request.command : `${commandPrefix}\n${request.command}`
  if (spawnHook === undefined) return { ...request, command, cwd }
  const before = inherited()
  const hooked = spawnHook({ command, cwd, env: { ...before, ...request.env } })
  return { ...request, command: hooked.command, cwd: hooked.cwd, env: differing(hooked.env, before) }
}

/** A hook that throws fails the command. */
const change = (request: ShellRequest, options: ToolOptions) =>
  Effect.try({
    try: () => changed(request, options),
    catch: (cause) => new ShellFailure({ reason: "not_started", message: ForeignValue.textOf(cause) })
  })

export const make = (options: ToolOptions, local: ShellService, artifacts: Artifacts): ShellService => {
  const exec = options.operations?.exec
  const run = exec === undefined ? local.run : runWith(exec, artifacts)
  return { ...local, run: (request) => Effect.flatMap(change(request, options), run) }
}
