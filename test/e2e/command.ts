/** The real command as a child process, with an AGENTDIR and an environment of its own. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

const cli = resolve(import.meta.dirname, "../../bin/heddle.js")

export interface Result {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface RunOptions {
  /** Undefined: stdin is closed at once. */
  readonly input?: string
  readonly variables?: Readonly<Record<string, string>>
}

export const makeHome = () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-command-"))
  const agentDir = join(folder, "agent")
  mkdirSync(agentDir)
  const run = async (args: ReadonlyArray<string>, { input = "", variables = {} }: RunOptions = {}): Promise<Result> => {
    const child = Bun.spawn([process.execPath, cli, ...args], {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder, HEDDLE_AGENT_DIR: agentDir, ...variables },
      stdin: new Blob([input]),
      stdout: "pipe",
      stderr: "pipe"
    })
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { code, out, err: err.replaceAll(agentDir, "DIR") }
  }
  return {
    agentDir,
    run,
    write: (name: string, content: unknown) =>
      writeFileSync(join(agentDir, name), typeof content === "string" ? content : JSON.stringify(content)),
    remove: () => rmSync(folder, { recursive: true, force: true })
  }
}

/** What is left of stderr without the line for programs, which says the same. */
export const forPeople = ({ err }: Result): string => err.replace(/^\{"error":.*\}\n/m, "").trim()
