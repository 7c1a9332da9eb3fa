/** An agent over real pipes, watched closely: every line it writes is checked, nothing it does can make the watcher wait for ever. */
import { spawn } from "node:child_process"
import * as Proc from "./Proc.ts"

export type Frame = Readonly<Record<string, unknown>>
export type Exit = { readonly code: number | null; readonly signal: string | null }

export interface Launch {
  readonly command: ReadonlyArray<string>
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

export interface Agent {
  readonly pid: number
  readonly idleMb: () => number
  /** Resolves when the pipe has taken the bytes, or the process has ended. */
  readonly write: (data: string | Uint8Array) => Promise<void>
  readonly send: (...frames: ReadonlyArray<object>) => Promise<void>
  /** Sends a command with an id of its own; undefined when no response comes in time. */
  readonly request: (frame: object, ms?: number) => Promise<Frame | undefined>
  /** The next frame that fits; undefined when it does not come in time or the process ends. */
  readonly next: (fits: (frame: Frame) => boolean, ms?: number) => Promise<Frame | undefined>
  /** Called for each frame, before anyone who waits for it. */
  readonly watch: (listener: (frame: Frame, bytes: number) => void) => () => void
  readonly pause: () => void
  readonly resume: () => void
  readonly closeInput: () => void
  readonly closeOutput: () => void
  readonly kill: (signal: "SIGKILL" | "SIGTERM" | "SIGINT") => void
  readonly exited: Promise<Exit>
  readonly hasEnded: () => boolean
  readonly stderr: () => string
  /** Lines on stdout that are not a JSON object. */
  readonly impure: ReadonlyArray<string>
  readonly bytes: () => number
  /** Peak over idle in MB; call it before the process ends. */
  readonly peakOverIdle: () => number
}

export const isFrame = (value: unknown): value is Frame =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const within = async <A>(promise: Promise<A>, ms: number): Promise<A | undefined> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  const first = await Promise.race([promise, late])
  clearTimeout(timer)
  return first
}

/** Splits bytes at LF; a line may come in many chunks. */
const lineReader = (onLine: (line: Buffer) => void) => {
  let parts: Array<Buffer> = []
  return (chunk: Buffer) => {
    let from = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      const tail = chunk.subarray(from, end)
      onLine(parts.length === 0 ? tail : Buffer.concat([...parts, tail]))
      parts = []
      from = end + 1
    }
    if (from < chunk.length) parts.push(chunk.subarray(from))
  }
}

const parse = (line: Buffer): unknown => {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line))
  } catch {
    return undefined
  }
}

/** How long anything may take that is promised to be quick, on a busy machine. */
export const patience = 30_000

let ids = 0

export const start = (launch: Launch): Agent => {
  const [program = "", ...args] = launch.command
  const child = spawn(program, args, { cwd: launch.cwd, env: { ...launch.env }, stdio: ["pipe", "pipe", "pipe"] })
  const listeners = new Set<(frame: Frame, bytes: number) => void>()
  const impure: Array<string> = []
  let [errors, bytes, idle, ended] = ["", 0, 0, false]
  const onLine = (line: Buffer) => {
    const frame = parse(line)
    if (!isFrame(frame)) return void impure.push(line.toString("latin1").slice(0, 300))
    for (const listener of listeners) listener(frame, line.length)
  }
  const feed = lineReader(onLine)
  child.stdout.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    feed(chunk)
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors = (errors + text).slice(-20_000)))
  child.stdin.on("error", () => undefined)
  child.stdout.on("error", () => undefined)
  const exited = new Promise<Exit>((resolve) => {
    child.on("error", () => resolve({ code: null, signal: "not started" }))
    child.on("exit", (code, signal) => resolve({ code, signal }))
  }).then((exit) => {
    ended = true
    return exit
  })
  const write = (data: string | Uint8Array) =>
    ended || child.stdin.destroyed
      ? Promise.resolve()
      : Promise.race([
          new Promise<void>((resolve) => void child.stdin.write(data, () => resolve())),
          exited.then(() => undefined)
        ])
  const watch = (listener: (frame: Frame, bytes: number) => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const next = async (fits: (frame: Frame) => boolean, ms = patience) => {
    let stop = () => {}
    const found = new Promise<Frame>((resolve) => {
      stop = watch((frame) => {
        if (fits(frame)) resolve(frame)
      })
    })
    const frame = await within(Promise.race([found, exited.then(() => undefined)]), ms)
    stop()
    return frame
  }
  const send = (...frames: ReadonlyArray<object>) => write(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(""))
  return {
    pid: child.pid ?? 0,
    idleMb: () => (idle = Proc.rssMb(child.pid ?? 0)),
    write,
    send,
    next,
    watch,
    request: (frame, ms = patience) => {
      const id = `t${++ids}`
      const answer = next((frame) => frame["type"] === "response" && frame["id"] === id, ms)
      void send({ ...frame, id })
      return answer
    },
    pause: () => void child.stdout.pause(),
    resume: () => void child.stdout.resume(),
    closeInput: () => void child.stdin.end(),
    closeOutput: () => void child.stdout.destroy(),
    kill: (signal) => void child.kill(signal),
    exited,
    hasEnded: () => ended,
    stderr: () => errors,
    impure,
    bytes: () => bytes,
    peakOverIdle: () => Math.max(0, Proc.peakMb(child.pid ?? 0) - idle)
  }
}

/** Ends an agent in the polite way and says how; kills it when it does not end. */
export const close = async (agent: Agent, ms = 10_000): Promise<Exit | undefined> => {
  agent.closeInput()
  const exit = await within(agent.exited, ms)
  if (exit === undefined) {
    agent.kill("SIGKILL")
    await agent.exited
  }
  return exit
}
