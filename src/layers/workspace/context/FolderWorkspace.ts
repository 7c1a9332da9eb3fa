/** The workspace in folders: that of the agent, and those of the project. Nothing is read before a session asks. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { defined } from "../../../domain/Values.ts"
import type { Processes } from "../../../services/machine/Processes.ts"
import { Settings } from "../../../services/Settings.ts"
import * as Trust from "../../../services/Trust.ts"
import { type PromptParts, type Read, type SessionOutline, Workspace } from "../../../services/Workspace.ts"
import * as Look from "../../pi/discovery/Look.ts"
import * as GitState from "./GitState.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import { OwnFiles } from "../../machine/files/own/OwnFiles.ts"
import * as Process from "../../machine/processes/Process.ts"
import { Declared } from "../settings/Declared.ts"
import * as ContextFiles from "./ContextFiles.ts"
import * as Notes from "./Notes.ts"
import * as ProjectFolders from "./ProjectFolders.ts"
import * as PromptFiles from "./PromptFiles.ts"
import * as ResourcePaths from "../skills/ResourcePaths.ts"
import * as SkillCommands from "../skills/SkillCommands.ts"
import * as SkillFiles from "../skills/SkillFiles.ts"
import * as Templates from "../skills/Templates.ts"
import * as WorkspaceText from "./WorkspaceText.ts"

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
  readonly packagePaths?: Effect.Effect<ResourcePaths.PackagePaths>
  /** Rules without a condition. */
  readonly rules?: Effect.Effect<ReadonlyArray<WorkspaceText.GuidanceRule>>
}

const noPackages: ResourcePaths.PackagePaths = { skillPaths: [], promptPaths: [] }

/** What every part of the reading starts from. */
const begin = Effect.fnUntraced(function* (options: WorkspaceOptions) {
  const files = yield* OwnFiles
  const { agentDir, cwd } = options
  const project = yield* ProjectFolders.find(files, cwd)
  return { files, agentDir, cwd, project, isTrusted: yield* Trust.isTrusted, notes: Notes.make(cwd) }
})

type Begun = Effect.Effect.Success<ReturnType<typeof begin>>

const inputsFor = Effect.fnUntraced(function* (options: WorkspaceOptions, { resources }: SessionOutline, begun: Begun) {
  const { agentDir, cwd, isTrusted, project } = begun
  const [packages, hooks, declared] = [
    yield* options.packagePaths ?? Effect.succeed(noPackages),
    yield* resources,
    yield* Declared
  ]
  const shared = {
    cwd,
    agentDir,
    home: options.home ?? LocalPaths.home(),
    project,
    isTrusted,
    declared,
    packages,
    hooks
  }
  const { noPromptTemplates = false, noSkills = false, skillPaths = [], templatePaths = [] } = options
  return {
    skills: ResourcePaths.list("skills", { ...shared, named: skillPaths, isOff: noSkills }),
    prompts: ResourcePaths.list("prompts", { ...shared, named: templatePaths, isOff: noPromptTemplates })
  }
})

const looking = Effect.fnUntraced(function* ({ notes }: Begun) {
  const look = yield* Look.make()
  const finding: Notes.Finding = { look, notes }
  const report = Effect.map(look.problems, (problems) => {
    for (const { message, path } of problems) notes.add(path, message)
  })
  return { finding, report }
})

/** `shell` is the program that runs commands. */
const prompt = Effect.fnUntraced(function* (options: WorkspaceOptions, outline: SessionOutline, shell: string) {
  const begun = yield* begin(options)
  const { agentDir, files, notes, project } = begun
  const { finding, report } = yield* looking(begun)
  const texts = Effect.gen(function* () {
    const paths = yield* inputsFor(options, outline, begun)
    const folders = { ...begun, root: project.root }
    return {
      replace: yield* PromptFiles.find(files, "SYSTEM.md", folders, notes),
      append: yield* PromptFiles.find(files, "APPEND_SYSTEM.md", folders, notes),
      contextFiles: options.noContextFiles === true ? [] : yield* ContextFiles.find(files, agentDir, project, notes),
      rules: yield* options.rules ?? Effect.succeed([]),
      skills: yield* SkillFiles.find(finding, paths.skills)
    }
  })
  const git = project.hasRepository ? GitState.describe(files, project.root) : Effect.succeed(undefined)
  // git works in a process of its own meanwhile.
  const [state, { append, replace, ...parts }] = yield* Effect.all([git, texts], { concurrency: 2 })
  yield* report
  const surroundings = {
    cwd: options.cwd,
    platform: Process.machine(),
    shell,
    date: outline.beganAt.slice(0, "2026-01-31".length),
    git: state
  }
  const value: PromptParts = { text: WorkspaceText.render({ ...parts, surroundings }), ...defined({ replace, append }) }
  return { value, problems: notes.all() } satisfies Read<PromptParts>
}) satisfies (...args: never) => Effect.Effect<Read<PromptParts>, never, Processes>

const commands = Effect.fnUntraced(function* (options: WorkspaceOptions, outline: SessionOutline) {
  const begun = yield* begin(options)
  const { finding, report } = yield* looking(begun)
  const paths = yield* inputsFor(options, outline, begun)
  const templates = yield* Templates.find(finding, paths.prompts)
  const skills = yield* SkillFiles.find(finding, paths.skills)
  yield* report
  const value = [...templates, ...skills.map((skill) => SkillCommands.make(begun.files, skill))]
  return { value, problems: begun.notes.all() }
})

export const make = (options: WorkspaceOptions) =>
  Effect.gen(function* () {
    const { shellPath = "bash" } = yield* Settings
    const services = yield* Effect.context<Processes>()
    const shell = LocalPaths.basename(shellPath)
    return Workspace.of((outline) => ({
      prompt: prompt(options, outline, shell).pipe(Effect.withSpan("Workspace.prompt"), Effect.provide(services)),
      commands: commands(options, outline).pipe(Effect.withSpan("Workspace.commands"), Effect.provide(services))
    }))
  })

/** Fails if an option names what is not there, so that a mistake is reported before anything starts. */
export const check = Effect.fnUntraced(function* ({ cwd, skillPaths = [], templatePaths = [] }: WorkspaceOptions) {
  const named = [
    ...skillPaths.map((path) => ["skill", path] as const),
    ...templatePaths.map((path) => ["prompt-template", path] as const)
  ]
  if (named.length === 0) return
  const files = yield* OwnFiles
  for (const [option, path] of named) {
    const state = yield* Effect.orElseSucceed(files.state(LocalPaths.absolute(cwd, path)), () => undefined)
    if (state === undefined)
      return yield* new PromptFiles.UnusableOption({ option, problem: `no such file or folder: ${path}` })
  }
})

/** The same, after the check. */
export const makeChecked = (options: WorkspaceOptions) => Effect.zipRight(check(options), make(options))

export const layer = (options: WorkspaceOptions) => Layer.effect(Workspace, makeChecked(options))
