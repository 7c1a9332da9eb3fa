/** The real command under a real host: a child process with pipes, read frame by frame. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"

export type Frame = Readonly<Record<string, unknown>>

export const root = join(import.meta.dirname, "../../..")
export const entry = join(root, "bin/heddle.js")
export const scenario = (name: string) => join(root, "examples/scenarios", `${name}.json`)

export interface HostOptions {
  readonly args?: ReadonlyArray<string>
  readonly command?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** Where the process is started; the folder of heddle if absent. */
  readonly cwd?: string
  /** The home of the user, which the test keeps; AGENTDIR is where it is by default. */
  readonly home?: string
}

export interface HostProcess {
  readonly child: ChildProcess
  readonly lines: ReadonlyArray<string>
  readonly frames: () => ReadonlyArray<Frame>
  readonly stderr: () => string
  readonly write: (data: string | Uint8Array) => void
  readonly send: (...frames: ReadonlyArray<object>) => void
  readonly closeInput: () => void
  /** The first frame, received or yet to come, that fits; rejects when the process ends without one. */
  readonly until: (fits: (frame: Frame) => boolean) => Promise<Frame>
  /** Waits until stderr has a text that fits. */
  readonly untilStderr: (fits: RegExp) => Promise<void>
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>
}

const start = (
  home: string,
  { args = [], command = [process.execPath, entry], cwd = root, env = {}, ...options }: HostOptions
): HostProcess => {
  const [program = "", ...before] = command
  const child = spawn(program, [...before, "--mode", "rpc", ...args], {
    cwd,
    env: {
      PATH: process.env["PATH"] ?? "",
      ...(options.home === undefined ? { HOME: home, HEDDLE_AGENT_DIR: home } : { HOME: options.home }),
      ...env
    },
    stdio: ["pipe", "pipe", "pipe"]
  })
  const lines: Array<string> = []
  const parsed: Array<Frame> = []
  const waiting = new Set<() => void>()
  let [tail, errors] = ["", ""]
  child.stdout.setEncoding("utf8")
  child.stdout.on("data", (chunk: string) => {
    const [head = "", ...rest] = chunk.split("\n")
    tail += head
    for (const part of rest) {
      lines.push(tail)
      parsed.push(JSON.parse(tail))
      tail = part
    }
    for (const check of waiting) check()
  })
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    errors += chunk
    for (const check of waiting) check()
  })
  child.stdin.on("error", () => {})
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.on("close", (code, signal) => resolve({ code, signal }))
  )
  const write = (data: string | Uint8Array) => void child.stdin.write(data)
  return {
    child,
    lines,
    frames: () => parsed,
    stderr: () => errors,
    write,
    send: (...frames) => write(frames.map((frame) => `${JSON.stringify(frame)}\n`).join("")),
    closeInput: () => child.stdin.end(),
    until: (fits) =>
      new Promise((resolve, reject) => {
        let next = 0
        const check = () => {
          let found: Frame | undefined
          for (; found === undefined && next < parsed.length; next++) if (fits(parsed[next] ?? {})) found = parsed[next]
          if (found === undefined) return
          waiting.delete(check)
          resolve(found)
        }
        waiting.add(check)
        void exited.then(() => reject(new Error(`ended without the frame; stderr: ${errors}`)))
        check()
      }),
    untilStderr: (fits) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!fits.test(errors)) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        void exited.then(() => reject(new Error(`ended without ${fits}; stderr: ${errors}`)))
        check()
      }),
    exited
  }
}

/** Ends with its scope: nothing a test starts outlives it. */
export const open = (options: HostOptions = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const home = mkdtempSync(join(tmpdir(), "heddle-e2e-"))
      return { home, host: start(home, options) }
    }),
    ({ home, host }) =>
      Effect.promise(async () => {
        if (host.child.exitCode === null) host.child.kill("SIGKILL")
        await host.exited
        rmSync(home, { recursive: true, force: true })
      })
  ).pipe(Effect.map(({ host }) => host))

export const type = (name: string) => (frame: Frame) => frame["type"] === name
export const answer = (id: string | number) => (frame: Frame) => frame["type"] === "response" && frame["id"] === id
export const types = (host: HostProcess) => host.frames().map((frame) => frame["type"])
