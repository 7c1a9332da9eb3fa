/** Registrations of an extension by name. A second one of the same name takes the place of the first. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { Refusal } from "../Ports.ts"
import type { Instance } from "../instance/Instance.ts"

const closing = (scope: Scope.CloseableScope) => Scope.close(scope, Exit.void)

export interface Slots {
  readonly put: (name: string, register: () => Effect.Effect<unknown, Refusal, Scope.Scope>) => void
  readonly remove: (name: string) => void
}

/** More are a loop that registers, and each costs the host a line in a list. */
const mostTaken = 500

/** `method` names the slots in reports. Registering takes effect at once. */
export const make = ({ bridge, count, report, scope }: Instance, method: string): Slots => {
  const taken = new Map<string, Scope.CloseableScope>()

  const remove = (name: string) => {
    const earlier = taken.get(name)
    taken.delete(name)
    if (earlier !== undefined) bridge.read(closing(earlier))
  }

  const attempt = (register: () => Effect.Effect<unknown, Refusal, Scope.Scope>) =>
    Effect.gen(function* () {
      const slot = yield* Scope.fork(scope, { _tag: "Sequential" })
      const registered = yield* Effect.either(Scope.extend(Effect.suspend(register), slot))
      if (registered._tag === "Right") return slot
      yield* closing(slot)
      return registered.left.message
    })

  return {
    put: (name, register) => {
      if (taken.size >= mostTaken && !taken.has(name))
        throw new Error(`${method}: an extension may have at most ${mostTaken}.`)
      remove(name)
      count(method)
      const slot = bridge.read(attempt(register))
      if (typeof slot === "string") report(method, slot)
      else taken.set(name, slot)
    },
    remove
  }
}
