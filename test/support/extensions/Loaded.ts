/** An extension whose factory is written in the test: it is loaded and active, without a file. */
import { Effect, Exit, Scope } from "effect"
import * as Bus from "../../../src/layers/pi/instance/Bus.ts"
import * as Api from "../../../src/layers/pi/api/Api.ts"
import * as Context from "../../../src/layers/pi/context/Context.ts"
import * as CommandContext from "../../../src/layers/pi/context/CommandContext.ts"
import * as Instance from "../../../src/layers/pi/instance/Instance.ts"
import * as Pace from "../../../src/layers/machine/foreign/Pace.ts"
import * as Bridge from "../../../src/layers/machine/foreign/Bridge.ts"
import * as Call from "../../../src/layers/machine/foreign/Call.ts"
import * as TestPorts from "./TestPorts.ts"

export const extension = (path: string): Instance.Extension => ({
  path,
  sourceInfo: { path, source: "cli", scope: "temporary", origin: "top-level" }
})

export const sharedOf = ({ ports }: TestPorts.TestPorts): Instance.Shared => ({
  ports,
  bus: Bus.make(),
  toolCalls: new WeakMap(),
  entries: new WeakMap(),
  updates: {},
  pace: Pace.none
})

interface More {
  readonly shared?: Instance.Shared
  readonly path?: string
  readonly outside?: Partial<Instance.Outside>
}

/** `close` makes it stale, as a change of the session does. */
export const add = Effect.fnUntraced(function* (test: TestPorts.TestPorts, more: More = {}) {
  const { path = "/x/one.ts", shared = sharedOf(test) } = more
  const scope = yield* Scope.fork(yield* Effect.scope, { _tag: "Sequential" })
  const instance = Instance.make({
    extension: extension(path),
    shared,
    outside: {
      bridge: yield* Bridge.make,
      reload: async () => undefined,
      successor: () => undefined,
      ...more.outside
    },
    registration: yield* Scope.extend(test.ports.hooks.join(path), scope),
    bridge: yield* Scope.extend(Bridge.make, scope),
    scope
  })
  const call = Call.make()
  return {
    ...test,
    shared,
    instance,
    pi: Api.make(instance),
    call,
    ctx: Context.make(instance, call),
    commandCtx: CommandContext.make(instance, call),
    close: Scope.close(scope, Exit.void)
  }
})

export const make = Effect.fnUntraced(function* (options: TestPorts.PortOptions = {}, more: More = {}) {
  const loaded = yield* add(yield* TestPorts.make(options), more)
  loaded.instance.activate()
  return loaded
})

/** The text of what a function throws. */
export const thrown = (call: () => unknown): string => {
  try {
    call()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return "nothing was thrown"
}

/** The text with which a promise is rejected. */
export const rejected = (promise: Promise<unknown>): Effect.Effect<string> =>
  Effect.promise(() =>
    promise.then(
      () => "nothing was thrown",
      (error: unknown) => (error instanceof Error ? error.message : String(error))
    )
  )
