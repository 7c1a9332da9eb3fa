import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Ref, TestClock } from "effect"
import { text } from "../../../../src/domain/conversation/Content.ts"
import type { ToolOutput } from "../../../../src/domain/conversation/Message.ts"
import { toTool } from "../../../../src/layers/tools/host/HostTool.ts"
import type { HostTool } from "../../../../src/services/host/HostTools.ts"
import { ToolFailure } from "../../../../src/services/Tools.ts"
import { context } from "../../../support/agent/ToolCall.ts"

const output = (said: string): ToolOutput => ({ content: [text(said)] })
const deploy = (more: Partial<HostTool>) =>
  toTool({
    name: "deploy",
    description: "Deploys.",
    parameters: { type: "object", required: ["where"] },
    call: ({ where }) => Effect.succeed(output(`to ${where}`)),
    ...more
  })

it.effect("is to models what its definition says, and gets arguments that fit", () =>
  Effect.gen(function* () {
    const tool = deploy({ label: "Deploy!", hidden: true })
    assert.deepStrictEqual(tool.definition, {
      name: "deploy",
      description: "Deploys.",
      parameters: { type: "object", required: ["where"] }
    })
    assert.deepStrictEqual([tool.concurrency, tool.abortedText], ["shared", 'Host tool "deploy" was aborted'])
    assert.deepStrictEqual(yield* tool.run({ where: "here" }, context), output("to here"))
    const never = deploy({ call: () => Effect.dieMessage("called with bad arguments") })
    const { message } = yield* Effect.flip(never.run({}, context))
    assert.strictEqual(message, 'Invalid arguments for deploy: Instance does not have required property "where".')
  })
)

it.effect("a deadline is the longest time without progress; when it has passed the call is interrupted", () =>
  Effect.gen(function* () {
    const shown = yield* Ref.make(0)
    const interrupted = yield* Deferred.make<void>()
    const tool = deploy({
      timeoutMs: 100,
      call: (_, { progress }) =>
        Effect.zipRight(Effect.repeatN(Effect.delay(progress(output("on it")), 99), 2), Effect.never).pipe(
          Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
        )
    })
    const counting = { ...context, progress: () => Ref.update(shown, (n) => n + 1) }
    const running = yield* Effect.fork(Effect.flip(tool.run({ where: "x" }, counting)))
    // The check of the arguments is loaded by then; the clock must not run ahead of it.
    yield* deploy({}).run({ where: "x" }, context)
    yield* Effect.repeat(TestClock.adjust(99), { times: 2 })
    assert.strictEqual(yield* Ref.get(shown), 3)
    yield* TestClock.adjust(99)
    assert.isNull(running.unsafePoll())
    yield* TestClock.adjust(1)
    assert.strictEqual((yield* Fiber.join(running)).message, 'Host tool "deploy" timed out after 100 ms')
    yield* Deferred.await(interrupted)
  })
)

it.effect("failures and defects pass through, and an answer in time ends the deadline", () =>
  Effect.gen(function* () {
    const failing = deploy({ timeoutMs: 10, call: () => new ToolFailure({ message: "no", details: { a: 1 } }) })
    assert.deepInclude(yield* Effect.flip(failing.run({ where: "" }, context)), { message: "no", details: { a: 1 } })
    const dying = deploy({ timeoutMs: 10, call: () => Effect.dieMessage("kaput") })
    const exit = yield* Effect.exit(dying.run({ where: "" }, context))
    assert.isTrue(Exit.isFailure(exit) && exit.cause.toString().includes("kaput"))
    const quick = yield* Effect.fork(deploy({ timeoutMs: 10 }).run({ where: "now" }, context))
    assert.deepStrictEqual(yield* Fiber.join(quick), output("to now"))
  })
)
