import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Serving from "../../../../src/layers/extensions/modules/Serving.ts"
import { call, get } from "../../../support/extensions/Calling.ts"
import { importing } from "../../../support/extensions/Importing.ts"
import { plain } from "../../../support/extensions/PlainBindings.ts"

it.effect("modules that are linked follow the agent that was bound last", () =>
  Effect.gen(function* () {
    yield* Serving.serve({ ...plain, agentDir: "/first" })
    const agent = yield* Effect.promise(() => importing("@earendil-works/pi-coding-agent"))
    assert.strictEqual(call(agent, "getAgentDir"), "/first")
    yield* Serving.serve({ ...plain, agentDir: "/second" })
    assert.strictEqual(call(agent, "getAgentDir"), "/second")
    const again = yield* Effect.promise(() => importing("@oh-my-pi/pi-coding-agent"))
    assert.strictEqual(get(again, "SessionManager"), get(agent, "SessionManager"))
  })
)
