/** Asks the hooks of a session about the tool calls of its subagents: what they forbid here is forbidden there, too. */
import * as Effect from "effect/Effect"
import { defined } from "../../../../domain/Values.ts"
import { type Contributor, SessionHooks } from "../../../../services/hooks/Hooks.ts"
import * as Asking from "./Asking.ts"
import type { HookRegistry } from "./HookRegistry.ts"

const name = "hooks of the parent session"

/** None where the session has no such hooks: its subagents then start without waiting for any. */
export const contributors = (hooks: HookRegistry): ReadonlyArray<Contributor> => {
  if (!hooks.has("toolCall") && !hooks.has("toolResult")) return []
  const join = Effect.gen(function* () {
    const registration = yield* Effect.flatMap(SessionHooks, (session) => session.join(name))
    registration.on("toolCall", (call) =>
      Effect.map(Asking.toolCall(hooks, call), ({ input, refusal }) =>
        refusal === undefined
          ? defined({ input })
          : { block: true, reason: refusal.message, ...defined({ terminate: refusal.terminate }) }
      )
    )
    registration.on("toolResult", ({ content, details, isError, ...call }) =>
      Effect.map(
        Asking.toolResult(hooks, call, { output: { content, ...defined({ details }) }, isError }),
        ({ isError: failed, output }) => ({ ...output, isError: failed })
      )
    )
  })
  return [{ name, join: () => join }]
}
