/** Options of one call, and the frame that asks for a command. */
import type { CommandName, CommandParams } from "./generated/Protocol.ts"

export interface CallOptions {
  /** How long to wait for the response; `0` means without a limit. Default: `requestTimeoutMs` of the client. */
  readonly timeoutMs?: number | undefined
  /** Ends the wait when it fires, and asks heddle to end the command. */
  readonly signal?: AbortSignal | undefined
}

export type CommandFrame<C extends CommandName> = { readonly type: C } & CommandParams[C]
