/** A workspace whose files a test changes while sessions use it. Counts how often it is read. */
import { Effect } from "effect"
import type { SlashCommand } from "../../../src/services/session/modules/Commands.ts"
import type { Resources } from "../../../src/services/hooks/HookPoints.ts"
import type { PromptParts, Workspace } from "../../../src/services/Workspace.ts"

export interface FakeWorkspace {
  prompt: PromptParts
  commands: ReadonlyArray<SlashCommand>
  problems: ReadonlyArray<string>
  /** What reading waits for. */
  before: Effect.Effect<void>
  readonly reads: Array<"prompt" | "commands">
  /** What hooks said at each reading of the commands. */
  readonly resources: Array<Resources>
  readonly service: typeof Workspace.Service
}

export const make = (text: string, commands: ReadonlyArray<SlashCommand> = []): FakeWorkspace => {
  const fake: FakeWorkspace = {
    prompt: { text },
    commands,
    problems: [],
    before: Effect.void,
    reads: [],
    resources: [],
    service: ({ resources }) => ({
      prompt: Effect.suspend(() => {
        fake.reads.push("prompt")
        return Effect.map(fake.before, () => ({ value: fake.prompt, problems: fake.problems }))
      }),
      commands: Effect.gen(function* () {
        fake.reads.push("commands")
        fake.resources.push(yield* resources)
        yield* fake.before
        return { value: fake.commands, problems: fake.problems }
      })
    })
  }
  return fake
}
