import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Either, Exit, Fiber, Scope } from "effect"
import * as HookRegistry from "../../../../../src/layers/session/modules/hooks/HookRegistry.ts"
import type { HookRegistration } from "../../../../../src/services/hooks/Hooks.ts"

const make = () => {
  const reports: Array<HookRegistry.Report> = []
  return { reports, hooks: HookRegistry.make((report) => void reports.push(report)) }
}

const names = (hooks: HookRegistry.HookRegistry) => hooks.of("input").map(({ name }) => name)
const nothing = () => undefined
const event = { text: "hi", images: [], source: "host" } as const

describe("order", () => {
  it.scoped("contributors in the order in which they joined, their hooks in the order in which they were added", () =>
    Effect.gen(function* () {
      const { hooks } = make()
      const a = yield* hooks.service.join("a")
      const b = yield* hooks.service.join("b")
      b.on("input", nothing)
      a.on("input", nothing)
      b.on("input", nothing)
      b.on("context", nothing)
      assert.deepStrictEqual([names(hooks), hooks.has("input"), hooks.has("toolCall")], [["a", "b", "b"], true, false])
    })
  )

  it.scoped("a hook is taken away alone and once, a contributor with all its hooks when its scope closes", () =>
    Effect.gen(function* () {
      const { hooks } = make()
      const scope = yield* Scope.make()
      const a = yield* Scope.extend(hooks.service.join("a"), scope)
      const b = yield* hooks.service.join("b")
      const remove = a.on("input", nothing)
      a.on("input", nothing)
      b.on("input", nothing)
      remove()
      remove()
      assert.deepStrictEqual(names(hooks), ["a", "b"])
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(names(hooks), ["b"])
      a.on("input", nothing)
      assert.deepStrictEqual(names(hooks), ["b"], "a contributor that has left is not asked")
    })
  )

  it.scoped("a contributor that registers without end is reported and refused", () =>
    Effect.gen(function* () {
      const { hooks, reports } = make()
      const fill = (registration: HookRegistration) => {
        for (let count = 0; count < 10_000; count++) registration.on("input", nothing)
      }
      const registration = yield* hooks.service.join("loop")
      fill(registration)
      const remove = registration.on("input", nothing)
      remove()
      assert.strictEqual(hooks.of("input").length, 10_000)
      assert.deepStrictEqual(reports, [{ name: "loop", event: "input", message: "more than 10000 hooks" }])
    })
  )
})

describe("a call", () => {
  const call = (hook: HookRegistry.Registered<"input">["hook"]) =>
    Effect.suspend(() => make().hooks.call({ name: "x", hook }, event))

  it.effect.each([
    ["at once", () => ({ _tag: "Handled" }) as const],
    ["by an effect", () => Effect.succeed({ _tag: "Handled" } as const)]
  ] as const)("is answered %s", ([, hook]) =>
    Effect.map(call(hook), (answer) => assert.deepStrictEqual(answer, Either.right({ _tag: "Handled" })))
  )

  it.effect.each([
    [
      "throws",
      () => {
        throw new Error("thrown")
      },
      "thrown"
    ],
    ["dies of a text", () => Effect.die("text"), "text"],
    ["fails", () => Effect.fail({ message: "failed" }), "failed"],
    ["dies", () => Effect.die(new Error("died")), "died"],
    ["interrupts itself", () => Effect.interrupt, "interrupted"]
  ] as const)("whose hook %s is answered with why", ([, hook, why]) =>
    Effect.map(call(hook), (answer) => assert.deepStrictEqual(answer, Either.left({ message: why })))
  )

  it.effect("that is interrupted interrupts the hook", () =>
    Effect.gen(function* () {
      const [began, ended] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const hook = () =>
        Deferred.succeed(began, undefined).pipe(
          Effect.zipRight(Effect.never),
          Effect.onInterrupt(() => Deferred.succeed(ended, undefined))
        )
      const calling = yield* Effect.fork(call(hook))
      yield* Deferred.await(began)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(calling)))
      yield* Deferred.await(ended)
    })
  )

  it.effect("`ask` reports a failure with the name and the point, and answers nothing", () =>
    Effect.gen(function* () {
      const { hooks, reports } = make()
      const answer = yield* hooks.ask("input", { name: "x", hook: () => Effect.fail({ message: "no" }) }, event)
      assert.isUndefined(answer)
      assert.deepStrictEqual(reports, [{ name: "x", event: "input", message: "no" }])
    })
  )
})
