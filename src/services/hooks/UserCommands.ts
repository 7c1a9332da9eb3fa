/** What hooks say to shell commands of the user. A reference: without the module `hooks` nobody says anything. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { UserCommand, UserCommandAnswer } from "./HookPoints.ts"

export interface AskedUserCommands {
  /**
   * Undefined: the command is to be run as usual. `asking` runs first, unless there are no hooks to ask. Those that are still
   * joining the session are asked, too.
   */
  readonly ask: (
    command: Omit<UserCommand, "cwd">,
    asking?: Effect.Effect<void>
  ) => Effect.Effect<UserCommandAnswer | undefined>
}

export class UserCommands extends Context.Reference<UserCommands>()("heddle/services/hooks/UserCommands", {
  defaultValue: (): AskedUserCommands => ({ ask: () => Effect.succeed(undefined) })
}) {}
