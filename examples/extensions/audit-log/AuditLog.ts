/** Hooks that write down every tool call of every session. Provide the Layer to an agent. */
import * as Heddle from "heddle"
import type { Effect } from "effect"

export type Entry =
  | { readonly asked: string; readonly input: Heddle.Content.JsonObject }
  | { readonly ended: string; readonly isError: boolean }

/** A hook at `toolCall` that fails blocks the call, so a call that cannot be written down does not run. */
export const layer = (write: (entry: Entry) => Effect.Effect<void, { readonly message: string }>) =>
  Heddle.HookLayer.layer("audit-log", {
    toolCall: ({ input, toolName }) => write({ asked: toolName, input }),
    toolResult: ({ isError, toolName }) => write({ ended: toolName, isError })
  })
