/** Subjects of judgements in a workspace `/work/app`, with home `/home/ada`. */
import type {
  BashSubject,
  FileSubject,
  FileTool,
  NamedSubject,
  OtherSubject,
  Places
} from "../../../src/domain/approvals/Subject.ts"
import { hiddenOf } from "../../../src/domain/approvals/Subject.ts"
import { read } from "../../../src/layers/session/modules/approvals/ShellParser.ts"

export const places: Places = {
  cwd: "/work/app",
  workspace: "/work/app",
  home: "/home/ada",
  hidden: hiddenOf({
    home: "/home/ada",
    agentDir: "/home/ada/.heddle",
    sessionsDir: "/home/ada/.heddle/sessions",
    more: ["/work/app/vault"]
  }),
  settings: ["/home/ada/.heddle", "/work/app/.heddle", "/work/app/.pi"]
}

const common = { places, isSandboxed: false, isRemembered: false }

export const bash = (line: string, options: Partial<Omit<BashSubject, "_tag" | "line">> = {}): BashSubject => ({
  _tag: "Bash",
  ...common,
  line: read(line),
  cwd: "/work/app",
  env: {},
  escalates: false,
  ...options
})

export const file = (tool: FileTool, path: string, options: Partial<Omit<FileSubject, "_tag">> = {}): FileSubject => ({
  _tag: "File",
  ...common,
  tool,
  path,
  real: path,
  ...options
})

export const named = (tool: NamedSubject["tool"], name: string): NamedSubject => ({
  _tag: "Named",
  ...common,
  tool,
  name
})

export const other = (tool: string): OtherSubject => ({ _tag: "Other", ...common, tool })
