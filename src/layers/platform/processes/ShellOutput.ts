/** Runs a short shell command for what it prints. Its errors and its output stay out of every message. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

export class CommandFailed extends Data.TaggedError("CommandFailed")<{ readonly reason: string }> {}

const largest = 64 * 1024

const start = (command: string) =>
  Effect.try({
    try: () =>
      Bun.spawn(["/bin/sh", "-c", command], {
        // Said outright: bun would hand on the environment that the process began with, and not what is left of it.
        env: process.env,
        detached: true,
        stdin: "ignore",
        stdout: "pipe",
        stderr: "ignore"
      }),
    catch: () => new CommandFailed({ reason: "could not be started" })
  })

/** The whole group: a command that waits for a child would leave it behind. */
const end = (child: Bun.Subprocess) =>
  Effect.ignore(Effect.try(() => (child.exitCode === null ? process.kill(-child.pid, "SIGKILL") : undefined)))

export const run = (command: string): Effect.Effect<string, CommandFailed> =>
  Effect.acquireUseRelease(
    start(command),
    (child) =>
      Effect.tryPromise({
        try: async () => {
          const text = await child.stdout.text()
          return { text, code: await child.exited }
        },
        catch: () => new CommandFailed({ reason: "could not be read" })
      }),
    end
  ).pipe(
    Effect.flatMap(({ code, text }) => {
      if (code !== 0) return new CommandFailed({ reason: `ended with exit code ${code}` })
      return text.length > largest ? new CommandFailed({ reason: "printed too much" }) : Effect.succeed(text)
    })
  )
