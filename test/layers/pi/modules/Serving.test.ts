import { assert, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import * as Serving from "../../../../src/layers/pi/modules/Serving.ts"
import * as Caller from "../../../../src/layers/machine/foreign/Caller.ts"
import * as FileLedger from "../../../../src/layers/tools/files/FileLedger.ts"
import { call, get } from "../../../support/extensions/Calling.ts"
import { importing } from "../../../support/extensions/Importing.ts"
import { plain } from "../../../support/extensions/PlainBindings.ts"

const shareOf = (agentDir: string) => ({
  bindings: { ...plain, agentDir },
  files: { ledger: FileLedger.make(), artifacts: Effect.succeedNone }
})

it.scoped("modules that are linked serve the session that calls, and without a call the only one that is open", () =>
  Effect.gen(function* () {
    const [one, two] = [{ name: "one" }, { name: "two" }]
    const [first, second] = [yield* Scope.make(), yield* Scope.make()]
    yield* Serving.serve
    assert.throws(() => Serving.holder.get(), "heddle has not started yet")
    yield* Scope.extend(Serving.enter(one, shareOf("/first")), first)
    const agent = yield* Effect.promise(() => importing("@earendil-works/pi-coding-agent"))
    assert.strictEqual(call(agent, "getAgentDir"), "/first")
    yield* Scope.extend(Serving.enter(two, shareOf("/second")), second)
    assert.throws(() => call(agent, "getAgentDir"), "Several sessions are open")
    const later = Caller.within(one, async () => {
      await Promise.resolve()
      await new Promise((resolve) => setTimeout(resolve, 0))
      return call(agent, "getAgentDir")
    })
    assert.strictEqual(
      Caller.within(two, () => call(agent, "getAgentDir")),
      "/second"
    )
    assert.strictEqual(yield* Effect.promise(() => later), "/first")
    const handed = Caller.within(one, () => Caller.bound(() => call(agent, "getAgentDir")))
    assert.strictEqual(Caller.within(two, handed), "/first")
    const [mine, its] = [one, two].map((session) => Caller.within(session, Serving.files))
    assert.notStrictEqual(mine?.ledger, its?.ledger)
    yield* Scope.close(first, Exit.void)
    assert.strictEqual(call(agent, "getAgentDir"), "/second")
    yield* Scope.close(second, Exit.void)
    const again = yield* Effect.promise(() => importing("@oh-my-pi/pi-coding-agent"))
    assert.strictEqual(get(again, "SessionManager"), get(agent, "SessionManager"))
  })
)
