/** Loads one extension into a session: its file, then its factory. Everything that it registers goes with its scope. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { HookProblem } from "../../services/hooks/Hooks.ts"
import * as Bridge from "../machine/foreign/Bridge.ts"
import * as Culprits from "../machine/foreign/Culprits.ts"
import * as ForeignCall from "../machine/foreign/ForeignCall.ts"
import * as Modules from "../machine/foreign/Modules.ts"
import * as Api from "./api/Api.ts"
import * as Instance from "./instance/Instance.ts"

/** How long the file and its factory may take together. */
export const limit = "30 seconds"

const tooSlow = () => new ForeignCall.ForeignFailure({ message: `The extension did not finish loading in ${limit}.` })

const prepare = Effect.fnUntraced(function* (
  extension: Instance.Extension,
  shared: Instance.Shared,
  outside: Instance.Outside
) {
  const { hooks } = shared.ports
  const { path } = extension
  yield* Culprits.guard({ path, report: hooks.report })
  return Instance.make({
    extension,
    shared,
    outside,
    registration: yield* hooks.join(path),
    bridge: yield* Bridge.paced(shared.pace),
    scope: yield* Effect.scope
  })
})

const runFactory = (instance: Instance.Instance) =>
  Effect.flatMap(Modules.load(instance.extension.path), (factory) =>
    ForeignCall.run(() => instance.enter(factory)(Api.make(instance)))
  )

/** An extension that did not load, and why. */
export interface Failed extends HookProblem {
  readonly extension: Instance.Extension
}

/** Left if the file or the factory failed: that is reported, and what was registered is taken back. */
export const load = Effect.fnUntraced(function* (
  extension: Instance.Extension,
  shared: Instance.Shared,
  outside: Instance.Outside
) {
  const scope = yield* Scope.fork(yield* Effect.scope, { _tag: "Sequential" })
  const instance = yield* Scope.extend(prepare(extension, shared, outside), scope)
  const loaded = yield* Effect.either(Effect.timeoutFail(runFactory(instance), { duration: limit, onTimeout: tooSlow }))
  if (loaded._tag === "Right") return Either.right(instance)
  yield* Scope.close(scope, Exit.void)
  instance.report("load", loaded.left)
  const failed: Failed = { extension, ...instance.located(loaded.left) }
  return Either.left(failed)
})
