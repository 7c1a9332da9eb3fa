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
  readonly input?: string | Uint8Array<ArrayBuffer>
  readonly variables?: Readonly<Record<string, string>>
}

export const makeHome = () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-command-"))
  const agentDir = join(folder, "agent")
  mkdirSync(agentDir)
  const place = (variables: Readonly<Record<string, string>> = {}) => ({
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, HEDDLE_AGENT_DIR: agentDir, ...variables }
  })
  const command = (args: ReadonlyArray<string>) => [process.execPath, cli, ...args]
  const run = async (args: ReadonlyArray<string>, { input = "", variables = {} }: RunOptions = {}): Promise<Result> => {
    const child = Bun.spawn(command(args), {
      ...place(variables),
      stdin: new Blob([input]),
      stdout: "pipe",
      stderr: "pipe"
    })
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { code, out, err: err.replaceAll(agentDir, "DIR") }
  }
  return {
    folder,
    agentDir,
    run,
    /** Where and how to start it otherwise: with an open pipe, at a terminal, under a shell. */
    place,
    command,
    /** A file in the working folder. */
    put: (name: string, content: string | Uint8Array) => {
      writeFileSync(join(folder, name), content)
      return name
    },
    /** The options for a model that plays these turns. */
    script: (turns: ReadonlyArray<object>, atEnd = "fail") => {
      const file = join(folder, `scenario-${crypto.randomUUID()}.json`)
      writeFileSync(file, JSON.stringify({ turns, atEnd }))
      return ["--model", "offline/script", "--set", `offline.scenario=${file}`]
    },
    write: (name: string, content: unknown) =>
      writeFileSync(join(agentDir, name), typeof content === "string" ? content : JSON.stringify(content)),
    remove: () => rmSync(folder, { recursive: true, force: true })
  }
}

/** What is left of stderr without the line for programs, which says the same. */
export const forPeople = ({ err }: Result): string => err.replace(/^\{"error":.*\}\n/m, "").trim()
