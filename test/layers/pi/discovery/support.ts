/** A user with an agent folder and a project, as real folders, and what a search finds in them. */
import { join } from "node:path"
import { Effect } from "effect"
import * as Finder from "../../../../src/layers/pi/discovery/Finder.ts"
import * as Declared from "../../../../src/layers/workspace/settings/Declared.ts"
import { withFiles } from "../../tools/TempFolder.ts"

export interface Wanted {
  readonly user?: object
  readonly project?: object
  readonly extensionPaths?: ReadonlyArray<string>
  readonly noExtensions?: boolean
  readonly trusted?: boolean
  readonly disabled?: ReadonlyArray<string>
  readonly only?: "project"
}

export const searchOf = (root: string, { project = {}, user = {}, ...wanted }: Wanted = {}): Finder.Search => {
  const [agentDir, cwd] = [join(root, "agent"), join(root, "work")]
  const declared = Declared.from(cwd, [
    { scope: "user", baseDir: agentDir, values: user },
    { scope: "project", baseDir: join(cwd, ".heddle"), values: project }
  ])
  return { agentDir, cwd, declared, disabled: [], trusted: true, ...wanted }
}

/** What is found, with paths relative to the folder that holds `agent` and `work`. */
export const search = Effect.fnUntraced(function* (root: string, wanted: Wanted = {}) {
  const found = yield* Finder.find(searchOf(root, wanted))
  const short = (path: string) => path.replace(`${root}/`, "")
  return {
    ...found,
    extensions: found.extensions.map(({ path }) => short(path)),
    skillPaths: found.skillPaths.map(({ path }) => short(path)),
    promptPaths: found.promptPaths.map(({ path }) => short(path)),
    problems: found.problems.map(({ message, path }) => `${short(path)}: ${message.replaceAll(root, "")}`),
    infos: found.extensions.map(({ name, sourceInfo }) => ({
      name,
      ...JSON.parse(JSON.stringify(sourceInfo).replaceAll(`${root}/`, ""))
    }))
  }
})

/** A folder with these files below `agent` and `work`. */
export const makeUser = (files: Readonly<Record<string, string>>) => withFiles({ "agent/": "", "work/": "", ...files })

export const code = "export default () => {}\n"
export const manifest = (values: object) => JSON.stringify({ name: "p", ...values })
