/** The effect that is judged: a call of a tool, a command of the user, a command of a verification. */
import { type Folders, isWithin } from "./Match.ts"
import type { ShellLine } from "./shell/ShellLine.ts"

/** The folders of a session. All absolute and without links. */
export interface Places extends Folders {
  /** The working folder, or the worktree of an isolated child. */
  readonly workspace: string
  /** What the sandbox hides (`hiddenOf`). */
  readonly hidden: ReadonlyArray<string>
  /** heddle's own settings: the agent folder, and the folders of settings in the workspace. */
  readonly settings: ReadonlyArray<string>
}

interface Common {
  readonly places: Places
  /** The sandbox in force holds this call. */
  readonly isSandboxed: boolean
  /** The user allowed the same tool, arguments and working folder for the session (`allow_session`). */
  readonly isRemembered: boolean
}

/** The tool `bash`, the user's bash, a command of a verification. */
export interface BashSubject extends Common {
  readonly _tag: "Bash"
  readonly line: ShellLine
  /** Where it runs, without links. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** It asks to run without the sandbox that is in force. */
  readonly escalates: boolean
}

export type FileTool = "read" | "grep" | "find" | "ls" | "write" | "edit"

export interface FileSubject extends Common {
  readonly _tag: "File"
  readonly tool: FileTool
  /** The path of the argument, absolute, links as written. */
  readonly path: string
  /** The same with links followed; for a new file, those of its nearest parent that exists. */
  readonly real: string
}

/** A tool that others bring, or a subagent: for `mcp` the name is `server/tool`, for `task` that of the agent. */
export interface NamedSubject extends Common {
  readonly _tag: "Named"
  readonly tool: "host" | "extension" | "mcp" | "task"
  readonly name: string
}

/** Any other built-in tool. */
export interface OtherSubject extends Common {
  readonly _tag: "Other"
  readonly tool: string
}

export type Subject = BashSubject | FileSubject | NamedSubject | OtherSubject

export const toolOf = (subject: Subject): string => (subject._tag === "Bash" ? "bash" : subject.tool)

/** Runs without being judged. */
const notGated = new Set(["todo_write", "ask", "submit_result"])

/** Whether rules and the mode say anything about a built-in tool. */
export const isGated = (tool: string): boolean => !notGated.has(tool)

export const isInWorkspace = (path: string, { workspace }: Places): boolean => isWithin(path, workspace)

export const isHidden = (path: string, { hidden }: Places): boolean => hidden.some((place) => isWithin(path, place))

/** Whether something that is hidden lies below the folder. */
export const holdsHidden = (path: string, { hidden }: Places): boolean => hidden.some((place) => isWithin(place, path))

const hiddenInHome = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".netrc",
  ".git-credentials",
  ".npmrc",
  ".pypirc",
  ".config/gcloud",
  ".config/gh"
] as const

/** Of the agent folder. Keys are in the first three. */
const hiddenInAgent = ["auth.json", ".env", "models.json", "sessions"] as const

/** The places that the sandbox hides and that nothing reads unasked. */
export const hiddenOf = (folders: {
  readonly home: string
  readonly agentDir: string
  readonly sessionsDir: string
  readonly more: ReadonlyArray<string>
}): ReadonlyArray<string> => [
  ...hiddenInHome.map((name) => `${folders.home}/${name}`),
  ...hiddenInAgent.map((name) => `${folders.agentDir}/${name}`),
  folders.sessionsDir,
  "/run",
  ...folders.more
]
