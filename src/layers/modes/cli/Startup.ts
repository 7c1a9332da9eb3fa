/** What a mode needs to start, and the failures of starts and runs in words. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Outcome } from "../../../services/host/Presentation.ts"
import type { AgentOptions } from "../../Process.ts"
import type { RequiredExtensionMissing } from "../../pi/Required.ts"
import * as Process from "../../machine/processes/Process.ts"
import { invalid, StartupFailure } from "./arguments/OptionTable.ts"
import type { StartOptions } from "./arguments/StartOptions.ts"

const refused = ({ message }: Error) => new StartupFailure({ code: "STARTUP_ERROR", message })
const unusable = ({ message }: Error) => invalid(message)
const noModel = ({ message }: Error) => new StartupFailure({ code: "NO_MODEL", message })

export interface Folders {
  readonly cwd: string
  readonly agentDir: string
}

export const folders = Effect.fnUntraced(function* ({ cwd: given }: Pick<StartOptions, "cwd">) {
  const wanted = given ?? (yield* Process.currentFolder)
  const cwd = yield* Process.folder(wanted)
  if (cwd === undefined) return yield* invalid(`--cwd: no such folder: ${wanted}`)
  return { cwd, agentDir: yield* Process.agentDir } satisfies Folders
})

/** Completes when an extension asks for the end, and fails when a person has decided against one that is required. */
export type Quit = Deferred.Deferred<void, RequiredExtensionMissing>
export const makeQuit = Deferred.make<void, RequiredExtensionMissing>()

/** The services behind every mode. Their code is loaded when they are built. */
export const agent = (options: AgentOptions & Pick<StartOptions, "mode">, quit: Quit) =>
  Layer.unwrapEffect(
    Effect.map(
      Effect.promise(() => import("../../Process.ts")),
      ({ layer }) =>
        layer({
          ...options,
          asksFirst: options.mode === "interactive",
          shutdown: Effect.asVoid(Deferred.succeed(quit, undefined)),
          refuse: (failure) => Effect.asVoid(Deferred.fail(quit, failure))
        })
    )
  )

/** What the failures of the agent's Layers become, by their tags, for the person or program behind the command line. */
export const explained = {
  ExtensionNotFound: unusable,
  RequiredExtensionMissing: refused,
  UnusableOption: unusable,
  SessionNotFound: unusable,
  AmbiguousSession: unusable,
  NotASession: unusable,
  NewerSession: unusable,
  SandboxRefused: unusable,
  SandboxUnavailable: ({ message }: Error) => new StartupFailure({ code: "SANDBOX_UNAVAILABLE", message }),
  SessionInUse: refused,
  StoreFailure: refused,
  OptionRefused: unusable,
  RuleRefused: unusable,
  UnknownModel: noModel,
  UnknownTool: ({ message }: Error) => invalid(`--tools: ${message}`)
}

/** Says on stderr why a one-shot run has no answer. */
export const report = (outcome: Outcome): Effect.Effect<void> =>
  outcome._tag === "Failed" || outcome._tag === "Unfit" ? Process.printError(`Error: ${outcome.message}`) : Effect.void
