/** Every way a check can end, under every way to go on after a failure: the events, and the result. */
import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, FiberId } from "effect"
import type { AgentEvent } from "../../../../src/domain/conversation/AgentEvent.ts"
import type {
  AttemptStatus,
  OnFailure,
  VerificationAttempt,
  VerificationCommandResult,
  VerificationResult
} from "../../../../src/domain/subagents/Verification.ts"
import { failureText, skipped, type VerificationCommand } from "../../../../src/services/delegation/Verification.ts"
import * as Processes from "../../../support/host/Processes.ts"
import * as Checks from "./Checks.ts"

const ways: ReadonlyArray<OnFailure> = ["return_failure", "discard_patch", "retry_once"]

interface Case {
  readonly name: string
  readonly command: Omit<VerificationCommand, "name">
  readonly passes: boolean
  readonly result: Omit<VerificationCommandResult, "name" | "command" | "durationMs" | "artifactPath">
}

const cases: ReadonlyArray<Case> = [
  { name: "pass", command: { command: "true" }, passes: true, result: { exitCode: 0 } },
  {
    name: "fail",
    command: { command: "echo broken; exit 3" },
    passes: false,
    result: { exitCode: 3, outputPreview: "broken" }
  },
  {
    name: "optional fail",
    command: { command: "echo broken; exit 3", optional: true },
    passes: true,
    result: { exitCode: 3, optional: true, outputPreview: "broken" }
  },
  {
    name: "timeout",
    command: { command: "sleep 60", timeoutMs: 50 },
    passes: false,
    result: { exitCode: 124, timedOut: true }
  },
  { name: "crash by signal", command: { command: "kill -9 $$" }, passes: false, result: { exitCode: 137 } }
]

const error = "One or more verification commands failed."

const matrix = cases.flatMap((one) => ways.map((onFailure) => ({ ...one, onFailure })))

describe("how a check ends", () => {
  it.scopedLive.each(matrix)("$name, $onFailure", ({ command, onFailure, passes, result }) =>
    Effect.gen(function* () {
      const { artifacts, events, prompts, start } = yield* Checks.make()
      const commands = [
        { name: "The check", ...command },
        { name: "last", command: "true" }
      ]
      const actual = yield* start(Checks.planOf(commands, { onFailure }))
      const attempts = !passes && onFailure === "retry_once" ? [1, 2] : [1]
      const status = passes ? "passed" : "failed"
      const log = (attempt: number) => `${artifacts}/0-Fix.verify.a${attempt}-1-the-check.log`
      const path = (attempt: number) => (result.outputPreview === undefined ? undefined : log(attempt))

      assert.deepStrictEqual(
        events,
        attempts.flatMap((attempt) => [
          Checks.started(attempt),
          ...Checks.command(attempt, "The check", result.exitCode, path(attempt)),
          ...Checks.command(attempt, "last", 0),
          Checks.ended(attempt, status)
        ])
      )
      assert.deepStrictEqual(Checks.timeless(actual), {
        requested: true,
        mode: "command",
        onFailure,
        status,
        retriesUsed: attempts.length - 1,
        attempts: attempts.map((attempt): VerificationAttempt => ({
          attempt,
          status,
          startedAt: 0,
          endedAt: 0,
          commandResults: [
            {
              name: "The check",
              command: command.command,
              durationMs: 0,
              ...result,
              ...(path(attempt) === undefined ? {} : { artifactPath: log(attempt) })
            },
            { name: "last", command: "true", durationMs: 0, exitCode: 0 }
          ],
          ...(passes ? {} : { error })
        }))
      })
      for (const attempt of attempts) assert.strictEqual(existsSync(log(attempt)), path(attempt) !== undefined)
      assert.strictEqual(prompts.length, attempts.length - 1)
      if (!passes) assert.strictEqual(failureText(actual), "Verification failed: The check")
    })
  )

  it.scopedLive.each(ways.map((onFailure) => ({ onFailure })))("interrupt, $onFailure", ({ onFailure }) =>
    Effect.gen(function* () {
      const { artifacts, cwd, events, prompts, start } = yield* Checks.make()
      const tag = `heddle-test-${crypto.randomUUID()}`
      const commands = [
        { name: "first", command: "true" },
        { name: "long", command: `echo partly; (exec -a ${tag} sleep 300) & touch ready; wait` },
        { name: "never", command: "true" }
      ]
      const running = yield* Effect.fork(start(Checks.planOf(commands, { onFailure })))
      yield* Processes.until(
        () => existsSync(`${cwd}/ready`) && Processes.holding(tag).length > 0,
        (ready) => ready
      )
      const exit = yield* Fiber.interrupt(running)
      assert.isTrue(Exit.isInterrupted(exit))
      assert.deepStrictEqual(Processes.holding(tag), [])
      const log = `${artifacts}/0-Fix.verify.a1-2-long.log`
      assert.deepStrictEqual(events, [
        Checks.started(1),
        ...Checks.command(1, "first", 0),
        ...Checks.command(1, "long", 130, log),
        Checks.ended(1, "skipped")
      ])
      assert.strictEqual(readFileSync(log, "utf8"), "partly\n")
      assert.deepStrictEqual(prompts, [])
    })
  )

  it.scopedLive.each(ways.map((onFailure) => ({ onFailure })))("budget, $onFailure", ({ onFailure }) =>
    Effect.gen(function* () {
      const { events, prompts, start } = yield* Checks.make()
      const message = "Budget exceeded (cost): repair not started."
      const plan = Checks.planOf([{ name: "test", command: "exit 1" }], { onFailure })
      const result = yield* start(plan, { mayRepair: Effect.fail({ message }) })
      const isRetried = onFailure === "retry_once"
      assert.deepStrictEqual(events, [
        Checks.started(1),
        ...Checks.command(1, "test", 1),
        Checks.ended(1, "failed"),
        ...(isRetried ? [Checks.started(2), Checks.ended(2, "budget_exceeded")] : [])
      ])
      const seen = result.attempts.map(({ attempt, commandResults, status, ...rest }) => [
        attempt,
        status,
        commandResults.length,
        rest.error
      ])
      assert.deepStrictEqual(seen, [
        [1, "failed", 1, error],
        ...(isRetried ? [[2, "budget_exceeded", 0, message]] : [])
      ])
      assert.deepStrictEqual([result.status, result.retriesUsed], ["failed", 0])
      assert.strictEqual(failureText(result), "Verification failed: test")
      assert.deepStrictEqual(prompts, [])
    })
  )
})

const statuses = (attempts: ReadonlyArray<VerificationAttempt>): ReadonlyArray<AttemptStatus> =>
  attempts.map(({ status }) => status)

describe("a repair", () => {
  it.scopedLive("that helps makes the second attempt pass", () =>
    Effect.gen(function* () {
      const { cwd, events, start } = yield* Checks.make()
      const plan = Checks.planOf([{ name: "test", command: "test -e fixed" }], {
        onFailure: "retry_once",
        maxRetries: 5,
        profile: "ci"
      })
      const repair = () => Effect.promise(() => Bun.write(`${cwd}/fixed`, "")).pipe(Effect.as(0))
      const result = yield* start(plan, { repair })
      const { attempts, retriesUsed, status } = result
      assert.deepStrictEqual([status, retriesUsed, statuses(attempts)], ["passed", 1, ["failed", "passed"]])
      assert.deepStrictEqual([result.profile, result.onFailure, result.mode], ["ci", "retry_once", "command"])
      assert.deepStrictEqual(events[0], Checks.started(1, "ci"))
      assert.deepStrictEqual(events.at(-1), Checks.ended(2, "passed"))
    })
  )

  it.scopedLive("that fails leaves nothing to verify", () =>
    Effect.gen(function* () {
      const { events, start } = yield* Checks.make()
      const plan = Checks.planOf([{ name: "test", command: "exit 1" }], { onFailure: "retry_once" })
      const { attempts, retriesUsed, status } = yield* start(plan, { repair: () => Effect.succeed(1) })
      assert.deepStrictEqual([status, retriesUsed, statuses(attempts)], ["failed", 1, ["failed", "skipped"]])
      assert.strictEqual(attempts[1]?.error, "The repair ended with exit code 1, so nothing was verified.")
      assert.deepStrictEqual(events.slice(-2), [Checks.started(2), Checks.ended(2, "skipped")])
    })
  )

  it.scopedLive("is not made where no retry is allowed", () =>
    Effect.gen(function* () {
      const { prompts, start } = yield* Checks.make()
      const plan = Checks.planOf([{ name: "test", command: "exit 1" }], { onFailure: "retry_once", maxRetries: 0 })
      const { attempts, retriesUsed, status } = yield* start(plan)
      assert.deepStrictEqual([status, retriesUsed, statuses(attempts), prompts], ["failed", 0, ["failed"], []])
    })
  )

  it.scopedLive("that is interrupted leaves the events of the first attempt, which are complete", () =>
    Effect.gen(function* () {
      const { events, start } = yield* Checks.make()
      const plan = Checks.planOf([{ name: "test", command: "exit 1" }], { onFailure: "retry_once" })
      const exit = yield* Effect.exit(start(plan, { repair: () => Effect.interrupt }))
      assert.isTrue(Exit.isInterrupted(exit))
      assert.deepStrictEqual(events, [Checks.started(1), ...Checks.command(1, "test", 1), Checks.ended(1, "failed")])
    })
  )

  it.scopedLive("reads the last lines of the whole log, far more than the preview has", () =>
    Effect.gen(function* () {
      const { prompts, start } = yield* Checks.make()
      const commands = [
        { name: "loud", command: "seq 1 5000; exit 2" },
        { name: "fine", command: "echo never-mentioned" },
        { name: "slow", command: "sleep 60", timeoutMs: 50 },
        { name: "lint", command: "echo only-a-hint; exit 1", optional: true },
        { name: "quiet", command: "exit 9" },
        { name: "fenced", command: "echo '```'; exit 1" }
      ]
      const plan = Checks.planOf(commands, { onFailure: "retry_once", failureContextLineLimit: 50 })
      const { attempts } = yield* start(plan)
      const preview = attempts[0]?.commandResults[0]?.outputPreview ?? ""
      assert.deepStrictEqual(
        preview.split("\n"),
        Array.from({ length: 20 }, (_, i) => String(4981 + i))
      )
      const [prompt = ""] = prompts
      const lines = Array.from({ length: 50 }, (_, i) => `${4951 + i}\n`).join("")
      assert.include(prompt, `The last 50 of 5000 lines of its output:\n\n\`\`\`\n${lines}\`\`\``)
      assert.include(prompt, "# Original task\n\nFix the parser.")
      assert.include(prompt, "- loud: exit code 2\n- slow: timed out\n- quiet: exit code 9\n- fenced: exit code 1\n\n")
      assert.include(prompt, "## loud\n\nCommand:\n\n```\nseq 1 5000; exit 2\n```")
      assert.include(prompt, "It printed nothing.")
      assert.include(prompt, "All of its output:\n\n````\n```\n````")
      assert.include(prompt, "Fix only what makes these checks fail.")
      assert.notInclude(prompt, "never-mentioned")
      assert.notInclude(prompt, "only-a-hint")
    })
  )
})

it("a subagent that failed is not verified", () => {
  assert.deepStrictEqual(skipped(Checks.planOf([{ name: "a", command: "true" }], { profile: "ci" })), {
    requested: true,
    profile: "ci",
    mode: "command",
    onFailure: "return_failure",
    status: "skipped",
    attempts: [],
    retriesUsed: 0
  })
})

const opens = new Map([
  ["VerificationStarted", "VerificationEnded"],
  ["VerificationCommandStarted", "VerificationCommandEnded"]
])

/** The ends that are missing, or the first event that does not belong where it is. */
const unbalanced = (events: ReadonlyArray<{ readonly _tag: string }>): ReadonlyArray<string> => {
  const open: Array<string> = []
  for (const { _tag } of events) {
    const end = opens.get(_tag)
    if (end !== undefined) open.push(end)
    else if (open.pop() !== _tag) return [_tag]
  }
  return open
}

// Two attempts with two commands each have twelve events.
it.scopedLive.each(Array.from({ length: 12 }, (_, index) => ({ moment: index + 1 })))(
  "an interrupt at event $moment leaves no start without its end",
  ({ moment }) =>
    Effect.gen(function* () {
      const { start } = yield* Checks.make()
      const seen: Array<AgentEvent> = []
      const plan = Checks.planOf(
        [
          { name: "a", command: "exit 1" },
          { name: "b", command: "true" }
        ],
        { onFailure: "retry_once" }
      )
      const running = yield* Effect.fork(
        Effect.withFiberRuntime<VerificationResult>((fiber) =>
          start(plan, {
            publish: (event) => {
              seen.push(event)
              if (seen.length === moment) fiber.unsafeInterruptAsFork(FiberId.none)
            }
          })
        )
      )
      yield* Fiber.await(running)
      assert.deepStrictEqual(unbalanced(seen), [])
      assert.isAtLeast(seen.length, moment)
      // The last event of an attempt comes too late to change how it ended.
      const attempt = moment > 6 ? 2 : 1
      assert.deepStrictEqual(seen.at(-1), Checks.ended(attempt, moment % 6 === 0 ? "failed" : "skipped"))
    })
)

describe("a command that may not run", () => {
  it.scopedLive(
    "has failed with 126 and the reason in its log, is asked about before it starts, and others go on",
    () =>
      Effect.gen(function* () {
        const { artifacts, cwd, events, start } = yield* Checks.make()
        const asked: Array<readonly [command: string, before: number]> = []
        const approve = (command: string) =>
          Effect.sync(() => {
            asked.push([command, events.length])
            return command === "true" ? undefined : "Denied by user: not here"
          })
        const commands = [
          { name: "make", command: "touch made" },
          { name: "last", command: "true" }
        ]
        const result = yield* start(Checks.planOf(commands), { approve })
        assert.deepStrictEqual(asked, [
          ["touch made", 1],
          ["true", 3]
        ])
        const [made, last] = result.attempts[0]?.commandResults ?? []
        assert.deepStrictEqual(
          [made?.exitCode, made?.outputPreview, last?.exitCode],
          [126, "Denied by user: not here", 0]
        )
        assert.strictEqual(
          readFileSync(`${artifacts}/0-Fix.verify.a1-1-make.log`, "utf8"),
          "Denied by user: not here\n"
        )
        assert.isFalse(existsSync(`${cwd}/made`))
      })
  )
})
