/** A command that is not run as a process of ours: others run it and hand over its output. */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Mailbox from "effect/Mailbox"
import * as Predicate from "effect/Predicate"
import type { ShellProcess, ShellSpawn } from "../../../services/machine/Processes.ts"
import type { ShellRequest } from "../../../services/Shell.ts"

/** As bash answers for a program that it cannot run. */
const couldNotRun = 126
/** As bash answers for one that TERM has ended. */
const ended = 143

/** Output that may wait until it is recorded; beyond it the oldest is dropped. */
const mostPieces = 65_536

const messageOf = (problem: unknown) =>
  Predicate.hasProperty(problem, "message") ? String(problem.message) : String(problem)

/** The command as a process, so that timeout, cancellation and limits of the output are those of every command. */
export const start = Effect.fnUntraced(function* (
  instead: NonNullable<ShellRequest["instead"]>,
  take: ShellSpawn["take"]
) {
  const pieces = yield* Mailbox.make<string>({ capacity: mostPieces, strategy: "sliding" })
  const code = yield* Deferred.make<number>()
  const utf8 = new TextEncoder()
  const record = Effect.gen(function* () {
    for (let done = false; !done;) {
      const [some, isLast] = yield* pieces.takeAll
      for (const piece of some) yield* take(utf8.encode(piece)) ?? Effect.void
      done = isLast
    }
  })
  const say = (text: string) => void pieces.unsafeOffer(text)
  // The end of the command does not wait for code that does not let itself be interrupted.
  const running = Effect.disconnect(Effect.suspend(() => instead(say))).pipe(
    Effect.catchAllCause((cause) => {
      if (Cause.isInterruptedOnly(cause)) return Effect.failCause(cause)
      say(`${messageOf(Cause.squash(cause))}\n`)
      return Effect.succeed(couldNotRun)
    })
  )
  const work = Effect.exit(running).pipe(
    Effect.zipLeft(pieces.end),
    Effect.flatMap((exit) => Deferred.succeed(code, Exit.isSuccess(exit) ? (exit.value ?? ended) : ended))
  )
  const recording = yield* Effect.fork(Effect.interruptible(record))
  const worker = yield* Effect.fork(Effect.interruptible(work))
  const end = Effect.zipRight(Fiber.interruptFork(worker), pieces.end).pipe(Effect.zipRight(Fiber.await(recording)))
  const process: ShellProcess = {
    pid: 0,
    isAlive: () => worker.unsafePoll() === null,
    exited: Effect.zipLeft(Deferred.await(code), Fiber.await(recording)),
    end: Effect.asVoid(end),
    release: Effect.asVoid(end)
  }
  return process
})
