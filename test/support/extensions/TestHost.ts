/** An extension host over TestPorts, and sessions that it joins. */
import { Context, Effect, Exit, Scope } from "effect"
import { join, resolve } from "node:path"
import * as ExtensionHost from "../../../src/layers/pi/ExtensionHost.ts"
import type { Missing } from "../../../src/layers/pi/discovery/Discovery.ts"
import type { Extension } from "../../../src/layers/pi/instance/Instance.ts"
import type { SessionOpening } from "../../../src/services/hooks/HookPoints.ts"
import { SessionHooks } from "../../../src/services/hooks/Hooks.ts"
import * as Loaded from "./Loaded.ts"
import * as TestPorts from "./TestPorts.ts"

/** The path of a sample extension. */
export const sample = (name: string): string => join(resolve(import.meta.dir, "samples"), name)

class CurrentPorts extends Context.Reference<CurrentPorts>()("test/CurrentPorts", {
  defaultValue: (): TestPorts.TestPorts | undefined => undefined
}) {}

const bind = Effect.flatMap(CurrentPorts, (test) =>
  test === undefined ? Effect.dieMessage("no session") : Effect.succeed(test.ports)
)

interface HostOptions {
  readonly find?: Effect.Effect<ReadonlyArray<Extension>>
  /** Required ones that were not found. */
  readonly missing?: ReadonlyArray<Missing>
}

export const make = Effect.fnUntraced(function* (paths: ReadonlyArray<string>, options: HostOptions = {}) {
  const { find = Effect.succeed(paths.map(Loaded.extension)), missing = [] } = options
  const host = yield* ExtensionHost.make({
    find: Effect.map(find, (extensions) => ({ extensions, missing })),
    bind
  })

  /** A session that the host joins, and that tells its beginning. `leave` tells its end and closes it. */
  const open = Effect.fnUntraced(function* (opening: SessionOpening, ports: TestPorts.PortOptions = {}) {
    const scope = yield* Scope.fork(yield* Effect.scope, { _tag: "Sequential" })
    const test = yield* Scope.extend(TestPorts.make(ports), scope)
    const services = test.services.pipe(
      Context.add(SessionHooks, test.hooks.service),
      Context.add(Scope.Scope, scope),
      Context.add(CurrentPorts, test)
    )
    yield* Effect.provide(host.contributor.join(opening), services)
    yield* Effect.orDie(Effect.mapError(test.hooks.ask("sessionStarted", opening), String))
    const leave = Effect.zipRight(
      Effect.orDie(Effect.mapError(test.hooks.ask("sessionEnding", { reason: "new" }), String)),
      Scope.close(scope, Exit.void)
    )
    return { ...test, leave, close: Scope.close(scope, Exit.void) }
  })

  return { host, open }
})
