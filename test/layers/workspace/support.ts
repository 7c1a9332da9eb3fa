/** A user and a project in real folders, and the workspace as a session reads it. */
import { spawnSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import * as Look from "../../../src/layers/pi/discovery/Look.ts"
import { local } from "../../../src/layers/machine/files/own/OwnFiles.ts"
import { Declared, type DeclaredLists, noLists } from "../../../src/layers/workspace/settings/Declared.ts"
import * as StaticSettings from "../../../src/layers/workspace/settings/StaticSettings.ts"
import * as FolderWorkspace from "../../../src/layers/workspace/context/FolderWorkspace.ts"
import * as Notes from "../../../src/layers/workspace/context/Notes.ts"
import * as ProjectFolders from "../../../src/layers/workspace/context/ProjectFolders.ts"
import type { Resources } from "../../../src/services/hooks/HookPoints.ts"
import { Processes, SpawnFailed } from "../../../src/services/machine/Processes.ts"
import * as Trust from "../../../src/services/Trust.ts"
import type { Read } from "../../../src/services/Workspace.ts"
import { withFiles } from "../tools/TempFolder.ts"

export const files = local

export const noGit = Layer.mock(Processes, { run: () => new SpawnFailed({ message: "no such program: git" }) })

export const skill = (name: string, description = `About ${name}.`, more = "") =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\nDo ${name}.\n`

/** `agent/` is the folder of the agent, `home/` that of the user, `work/` the working folder. */
export const makePlace = (given: Readonly<Record<string, string | Uint8Array>>) =>
  Effect.tap(withFiles(given), (root) => {
    for (const name of ["agent", "home", "work"]) mkdirSync(join(root, name), { recursive: true })
  })

export const fifo = (path: string) => spawnSync("mkfifo", [path])

/** Paths relative to the place, so that they can be compared. */
export const without = (root: string, text: string) => text.replaceAll(`${root}/`, "")

export interface Reading extends Partial<FolderWorkspace.WorkspaceOptions> {
  readonly trusted?: boolean
  readonly user?: Partial<DeclaredLists>
  readonly project?: Partial<DeclaredLists>
  readonly resources?: Resources
  readonly beganAt?: string
  readonly processes?: Layer.Layer<Processes>
}

/** What a session reads. Without git, unless `processes` says otherwise. */
export const read = Effect.fnUntraced(function* (root: string, reading: Reading = {}) {
  const {
    beganAt = "2026-02-03T04:05:06.789Z",
    processes = noGit,
    project,
    resources = {},
    trusted,
    user,
    ...options
  } = reading
  const declared = { user: { ...noLists, ...user }, project: { ...noLists, ...project } }
  const at = (name: string) => join(root, name)
  const place = { agentDir: at("agent"), cwd: at("work"), home: at("home"), ...options }
  const { Workspace } = yield* Effect.promise(() => import("../../../src/services/Workspace.ts"))
  const opened = Effect.map(Workspace, (open) => open?.({ beganAt, resources: Effect.succeed(resources) }))
  const services = Layer.mergeAll(processes, StaticSettings.layer())
  const provided = <A>(effect: Effect.Effect<A>) =>
    effect.pipe(
      Effect.provideService(Trust.Trust, Trust.fixed(trusted === true ? "trusted" : "untrusted")),
      Effect.provideService(Declared, declared)
    )
  const workspace = yield* Effect.provide(opened, Layer.provide(FolderWorkspace.layer(place), services))
  if (workspace === undefined) return yield* Effect.dieMessage("there is no workspace")
  const shown = <A>({ problems, value }: Read<A>) => ({ value, problems: problems.map((text) => without(root, text)) })
  return {
    prompt: Effect.map(provided(workspace.prompt), shown),
    commands: Effect.map(provided(workspace.commands), shown)
  }
})

/** The parts of a search, and its notes. */
export const search = Effect.fnUntraced(function* (cwd: string) {
  const notes = Notes.make(cwd)
  const look = yield* Look.make()
  return { finding: { look, notes }, notes, project: yield* ProjectFolders.find(local, cwd) }
})
