/** Instructions as a module of sessions: what the workspace says, behind the built-in instructions or those of an option. */
import * as Effect from "effect/Effect"
import { Commands } from "../../../../services/session/modules/Commands.ts"
import { Instructions } from "../../../../services/session/modules/Instructions.ts"
import { SessionCore } from "../../../../services/session/SessionCore.ts"
import * as SessionModule from "../../../../services/session/SessionModule.ts"
import type { PromptOptions } from "../../../../services/session/SessionOptions.ts"
import { Startup } from "../../../../services/session/Startup.ts"
import { type SessionTools, ToolSet } from "../../../../services/Tools.ts"
import { RegisteredHooks } from "../hooks/HookRegistry.ts"
import * as WorkspaceInstructions from "./Instructions.ts"
import * as SystemPrompt from "./SystemPrompt.ts"

/** Those of a session without the module: they never change but with the tools. */
export const plain = (options: PromptOptions, { active }: Pick<SessionTools, "active">) => {
  const render = SystemPrompt.make(options)
  return Instructions.of({ current: Effect.map(active, render), forCall: (tools) => Effect.sync(() => render(tools)) })
}

export const module = SessionModule.make(
  "instructions",
  Instructions,
  Effect.gen(function* () {
    const { entries: session, events, fork, options } = yield* SessionCore
    const { started } = yield* Startup
    const { active } = yield* ToolSet
    const { publish } = events
    const { isLoaded, isRead, load, prompt, promptForCall, read } = yield* WorkspaceInstructions.make(
      {
        session,
        publish,
        fork,
        hooks: yield* RegisteredHooks,
        commands: yield* Commands,
        opening: options.opening
      },
      options
    )
    const mayAsk = Effect.suspend(() => (isRead() ? Effect.void : started))
    return {
      service: Instructions.of({
        current: Effect.zipRight(mayAsk, Effect.flatMap(active, prompt)),
        forCall: promptForCall
      }),
      commands: { load, isLoaded },
      prepare: Effect.zipRight(load, read)
    }
  })
)
