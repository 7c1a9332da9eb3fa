/**
 * The agents in the folders of the project, of the user and of Claude Code, and those that come with heddle, in the order of
 * protocol.md 14.1; the first of equal names wins. An agent chooses tools and models, so those of a project count only
 * where the user trusts it.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as AgentDefinition from "../../../../domain/subagents/AgentDefinition.ts"
import { isTrusted } from "../../../../services/Trust.ts"
import * as Look from "../../../pi/discovery/Look.ts"
import * as LocalPaths from "../../../machine/files/LocalPaths.ts"
import * as ReadText from "../../../machine/files/ReadText.ts"
import * as FrontMatter from "../../../workspace/skills/FrontMatter.ts"
import * as ProjectFolders from "../../../workspace/context/ProjectFolders.ts"
import * as OutputSchema from "../child/OutputSchema.ts"
import explore from "./bundled/explore.md" with { type: "text" }
import plan from "./bundled/plan.md" with { type: "text" }
import quickTask from "./bundled/quick_task.md" with { type: "text" }
import reviewer from "./bundled/reviewer.md" with { type: "text" }
import task from "./bundled/task.md" with { type: "text" }

export interface AgentPlaces {
  readonly cwd: string
  readonly agentDir: string
  /** Default: the home folder of the user. */
  readonly home?: string
}

export interface FoundAgents {
  readonly agents: ReadonlyArray<AgentDefinition.AgentDefinition>
  /** The folder of agents of the project, if there is one that counts. */
  readonly projectAgentsDir: string | null
  /** Also logged. */
  readonly warnings: ReadonlyArray<Look.Problem>
}

type Origin = Pick<AgentDefinition.AgentText, "dialect" | "source">
interface Folder extends Origin {
  readonly path: string
}

export const mostAgents = 1000
const largestFile = 256 * 1024
/** How many files are read before other fibers get their turn. */
const batch = 50

const isFolder = (look: Look.Look, path: string) =>
  Effect.map(
    Effect.orElseSucceed(look.files.state(path), () => undefined),
    (state) => state !== undefined && !state.isFile
  )

const nearest = (look: Look.Look, folders: ReadonlyArray<string>, name: string) =>
  Effect.findFirst(
    folders.map((folder) => LocalPaths.join(folder, name)),
    (path) => isFolder(look, path)
  )

const foldersOf = Effect.fnUntraced(function* (look: Look.Look, { agentDir, cwd, home }: Required<AgentPlaces>) {
  const { upward } = yield* ProjectFolders.find(look.files, cwd)
  const own = yield* nearest(look, upward, ".heddle/agents")
  // The folder of the user is none of a project, wherever heddle was started.
  const claude = yield* nearest(
    look,
    upward.filter((folder) => folder !== home),
    ".claude/agents"
  )
  const isAllowed = yield* isTrusted
  const ofProject = (path: Option.Option<string>, dialect: Origin["dialect"]): ReadonlyArray<Folder> => {
    if (Option.isNone(path)) return []
    if (isAllowed) return [{ path: path.value, dialect, source: "project" }]
    look.report(path.value, "its agents were left out, because the project is not trusted; --approve allows them")
    return []
  }
  const folders: ReadonlyArray<Folder> = [
    ...ofProject(own, "own"),
    { path: LocalPaths.join(agentDir, "agents"), dialect: "own", source: "user" },
    ...ofProject(claude, "claude"),
    { path: LocalPaths.join(home, ".claude/agents"), dialect: "claude", source: "user" }
  ]
  return { folders, projectAgentsDir: isAllowed ? Option.getOrNull(own) : null }
})

/**
 * Claude Code writes descriptions with colons and without quotes, so what is no YAML is read line by line there. A list of
 * tools that got lost by that would give the agent all of them.
 */
const frontMatterProblem = (text: string, { data, problem }: FrontMatter.FrontMatter, { dialect }: Origin) => {
  if (problem === undefined) return undefined
  const lost = ["tools", "disallowedTools"].find((key) => new RegExp(`^${key}:`, "m").test(text) && !(key in data))
  return dialect === "claude" && lost === undefined ? undefined : `its ${problem}; correct it`
}

/** The agent, or what is wrong with the text and what to do. */
export const parse = (
  text: string,
  origin: Origin & { readonly path?: string }
): Either.Either<AgentDefinition.AgentDefinition, string> =>
  Either.gen(function* () {
    if (text.includes("\0")) return yield* Either.left("it is no text; agents are Markdown files with front matter")
    const parts = FrontMatter.parse(text)
    const unusable = frontMatterProblem(text, parts, origin)
    if (unusable !== undefined) return yield* Either.left(unusable)
    const agent = yield* AgentDefinition.parse({ ...origin, body: parts.body, data: parts.data })
    if (agent.output !== undefined) yield* OutputSchema.make(agent.output)
    return agent
  })

const readOne = Effect.fnUntraced(function* (look: Look.Look, path: string, { dialect, source }: Folder) {
  const text = yield* Effect.either(ReadText.readIfPresent(look.files, path, { largest: largestFile }))
  if (Either.isLeft(text)) {
    look.report(path, `the agent was left out: the file ${text.left.reason}`)
    return undefined
  }
  if (Option.isNone(text.right)) return undefined
  const parsed = parse(text.right.value, { path, dialect, source })
  if (Either.isRight(parsed)) return parsed.right
  look.report(path, `the agent was left out: ${parsed.left}`)
  return undefined
})

const filesIn = (look: Look.Look, folder: Folder) =>
  Effect.map(look.entries(folder.path), (entries) =>
    entries.flatMap(({ kind, name, path }) => (kind === "folder" || !/\.md$/i.test(name) ? [] : [{ path, folder }]))
  )

const fromFiles = Effect.fnUntraced(function* (look: Look.Look, folders: ReadonlyArray<Folder>) {
  const agents = new Map<string, AgentDefinition.AgentDefinition>()
  const read = new Set<string>()
  for (const { folder, path } of (yield* Effect.forEach(folders, (each) => filesIn(look, each))).flat()) {
    if (read.has(path)) continue
    if (agents.size === mostAgents) {
      look.report(path, `was left out, and all agents after it: there are more than ${mostAgents}`)
      break
    }
    read.add(path)
    if (read.size % batch === 0) yield* Effect.yieldNow()
    const agent = yield* readOne(look, path, folder)
    if (agent !== undefined && !agents.has(agent.name)) agents.set(agent.name, agent)
  }
  return agents
})

/** The agents that come with heddle. */
export const bundled = () =>
  [task, quickTask, explore, plan, reviewer].flatMap((text) =>
    Either.getOrElse(Either.map(parse(text, { dialect: "own", source: "bundled" }), Array.of), () => [])
  )

export const read = Effect.fn("AgentFiles.read")(function* (places: AgentPlaces) {
  const look = yield* Look.make({ bounds: { inFolder: 2 * mostAgents, inAll: 5 * mostAgents } })
  const { folders, projectAgentsDir } = yield* foldersOf(look, { home: LocalPaths.home(), ...places })
  const agents = yield* fromFiles(look, folders)
  for (const agent of bundled()) if (!agents.has(agent.name)) agents.set(agent.name, agent)
  const warnings = yield* look.problems
  yield* Effect.forEach(warnings, ({ message, path }) => Effect.logWarning(`${path}: ${message}`), { discard: true })
  const found: FoundAgents = { agents: [...agents.values()], projectAgentsDir, warnings }
  return found
})
