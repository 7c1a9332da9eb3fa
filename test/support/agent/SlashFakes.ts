/** Slash commands that do one thing each, for transcripts and tests. */
import { Context, Effect, Layer } from "effect"
import {
  Commands,
  type SlashCommand,
  SlashCommandFailed,
  type SourceInfo
} from "../../../src/services/session/modules/Commands.ts"
import { Sessions } from "../../../src/services/session/Sessions.ts"

export const sourceInfo: SourceInfo = {
  path: "/ext/demo.ts",
  source: "cli",
  scope: "temporary",
  origin: "top-level"
}

export const run = (name: string, action: (args: string) => Effect.Effect<void, SlashCommandFailed>): SlashCommand => ({
  name,
  source: "extension",
  sourceInfo,
  action: { _tag: "Run", run: action }
})

export const expand = (
  name: string,
  action: (args: string) => Effect.Effect<string, SlashCommandFailed>
): SlashCommand => ({ name, source: "prompt", sourceInfo, action: { _tag: "Expand", expand: action } })

export const failure = (command: string, message: string) => new SlashCommandFailed({ command, message })

/** `waits` takes a second of the test's clock, `moves` opens a new session. */
const actions: Readonly<Record<string, (name: string, sessions: typeof Sessions.Service) => SlashCommand["action"]>> = {
  ends: () => ({ _tag: "Run", run: () => Effect.void }),
  waits: () => ({ _tag: "Run", run: () => Effect.sleep("1 second") }),
  moves: (name, sessions) => ({
    _tag: "Run",
    run: () =>
      Effect.flatMap(sessions.changes, (changes) => changes.create({})).pipe(
        Effect.mapError(({ message }) => failure(name, message))
      )
  }),
  fails: (name) => ({ _tag: "Run", run: (args) => failure(name, `no ${args}`) }),
  expands: () => ({ _tag: "Expand", expand: (args) => Effect.succeed(`Please look at ${args}.`) }),
  lacks: (name) => ({ _tag: "Expand", expand: () => failure(name, "the file is gone") })
}

interface Described extends Pick<SlashCommand, "name" | "description" | "argumentHint" | "source"> {
  readonly does: string
}

/** Registers the commands that a transcript describes in the session that the host begins with. */
export const layer = (described: ReadonlyArray<Described>) =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const commands = Context.get(yield* sessions.current, Commands)
      for (const { does, ...command } of described) {
        const action = actions[does]?.(command.name, sessions) ?? {
          _tag: "Run",
          run: () => Effect.dieMessage(`unknown: ${does}`)
        }
        yield* commands.register({ ...command, sourceInfo, action })
      }
    })
  )
