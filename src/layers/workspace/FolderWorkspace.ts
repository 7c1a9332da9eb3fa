/** The workspace in folders: that of the agent, and those of the project. Nothing is read before a session asks. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Processes } from "../../services/machine/Processes.ts"
import { Settings } from "../../services/Settings.ts"
import { Workspace } from "../../services/Workspace.ts"
import * as LocalPaths from "../platform/files/LocalPaths.ts"
import { OwnFiles } from "../platform/files/OwnFiles.ts"
import { UnusableOption } from "./PromptFiles.ts"
import type { PackagePaths } from "./ResourcePaths.ts"
import type { GuidanceRule } from "./WorkspaceText.ts"

export interface WorkspaceOptions {
  readonly agentDir: string
  readonly cwd: string
  /** Default: the home folder of the user. */
  readonly home?: string
  /** The arguments of `--skill` and `--prompt-template`, which count whatever else is switched off. */
  readonly skillPaths?: ReadonlyArray<string>
  readonly templatePaths?: ReadonlyArray<string>
  readonly noSkills?: boolean
  readonly noPromptTemplates?: boolean
  readonly noContextFiles?: boolean
  /** What packages bring. Asked whenever the workspace is read. */
  readonly packagePaths?: Effect.Effect<PackagePaths>
  /** Rules without a condition. */
  readonly rules?: Effect.Effect<ReadonlyArray<GuidanceRule>>
}

const reading = Effect.promise(() => import("./Reading.ts"))

export const make = (options: WorkspaceOptions) =>
  Effect.gen(function* () {
    const { shellPath = "bash" } = yield* Settings
    const services = yield* Effect.context<Processes>()
    const shell = LocalPaths.basename(shellPath)
    return Workspace.of((outline) => ({
      prompt: Effect.flatMap(reading, ({ prompt }) => prompt(options, outline, shell)).pipe(
        Effect.withSpan("Workspace.prompt"),
        Effect.provide(services)
      ),
      commands: Effect.flatMap(reading, ({ commands }) => commands(options, outline)).pipe(
        Effect.withSpan("Workspace.commands"),
        Effect.provide(services)
      )
    }))
  })

/** Fails if an option names what is not there, so that a mistake is told before anything starts. */
export const check = Effect.fnUntraced(function* ({ cwd, skillPaths = [], templatePaths = [] }: WorkspaceOptions) {
  const named = [
    ...skillPaths.map((path) => ["skill", path] as const),
    ...templatePaths.map((path) => ["prompt-template", path] as const)
  ]
  if (named.length === 0) return
  const files = yield* OwnFiles
  for (const [option, path] of named) {
    const state = yield* Effect.orElseSucceed(files.state(LocalPaths.absolute(cwd, path)), () => undefined)
    if (state === undefined) return yield* new UnusableOption({ option, problem: `no such file or folder: ${path}` })
  }
})

/** The same, after the check. */
export const makeChecked = (options: WorkspaceOptions) => Effect.zipRight(check(options), make(options))

export const layer = (options: WorkspaceOptions) => Layer.effect(Workspace, makeChecked(options))
