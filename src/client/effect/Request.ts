/** How the Effect client asks for a command. An interrupt ends the command as well as the wait. */
import type * as Effect from "effect/Effect"
import type { CallOptions, CommandFrame } from "../Call.ts"
import type { RpcError } from "../Errors.ts"
import type { CommandData, CommandName } from "../generated/Protocol.ts"

export type Request = <C extends CommandName>(
  frame: CommandFrame<C>,
  call?: CallOptions
) => Effect.Effect<CommandData[C], RpcError>
