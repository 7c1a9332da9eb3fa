/** The child process: its pipes, the tail of its stderr, and an end that cannot be missed. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { StringDecoder } from "node:string_decoder"
import type { Launch } from "./Launch.ts"

export interface Exit {
  readonly code: number | null
  readonly signal: string | null
  /** Why it could not be started, if that is so. */
  readonly failure?: string
}

export interface ChildHandlers {
  readonly onOutput: (chunk: Uint8Array) => void
  readonly onOutputEnd: () => void
  readonly onStderr: (text: string) => void
  /** Once, after all output. */
  readonly onExit: (exit: Exit) => void
}

/** heddle promises to end 3 s after its input, and 800 ms after SIGTERM. */
const inputGraceMs = 3000
const termGraceMs = 1000
/** How long pipes may stay open after the process has ended, and the process after its output. */
const drainMs = 1000
const keptStderr = 65_536
const hasGroups = process.platform !== "win32"

const whyNot = ({ cwd, program }: Launch, cause: unknown): string => {
  if (cwd !== undefined && !existsSync(cwd)) return `cannot start ${program}: there is no folder ${cwd}`
  return `cannot start ${program}: ${cause instanceof Error ? cause.message : String(cause)}`
}

export class Child {
  private readonly process: ChildProcessWithoutNullStreams | undefined
  private readonly timers = new Set<ReturnType<typeof setTimeout>>()
  private readonly handlers: ChildHandlers
  private errors = ""
  private exit: Exit | undefined
  private isOver = false
  private isStopping = false

  constructor(launch: Launch, handlers: ChildHandlers) {
    this.handlers = handlers
    try {
      this.process = spawn(launch.program, launch.args, {
        cwd: launch.cwd,
        env: launch.env,
        stdio: ["pipe", "pipe", "pipe"],
        // A process group of its own: Ctrl-C reaches only the host, and nothing of it survives `kill`.
        detached: hasGroups,
        windowsHide: true
      })
    } catch (cause) {
      // Later, as all other failures.
      queueMicrotask(() => this.finish({ code: null, signal: null, failure: whyNot(launch, cause) }))
      return
    }
    this.watch(this.process, launch)
  }

  get pid(): number | undefined {
    return this.process?.pid
  }

  /** The tail of what it wrote to stderr. */
  get stderr(): string {
    return this.errors
  }

  write(text: string): void {
    if (!this.isOver && !this.isStopping) this.process?.stdin.write(text)
  }

  /** Closes its input and ends it by force if it does not end by itself. `onExit` follows. */
  stop(): void {
    if (this.isStopping || this.isOver) return
    this.isStopping = true
    this.process?.stdin.end()
    this.later(inputGraceMs, () => this.terminate())
  }

  private watch(child: ChildProcessWithoutNullStreams, launch: Launch): void {
    const utf8 = new StringDecoder("utf8")
    child.stdout.on("data", this.handlers.onOutput)
    child.stdout.on("end", () => {
      this.handlers.onOutputEnd()
      // It can say nothing any more. If it stays, its calls would wait for ever.
      this.later(drainMs, () => this.terminate())
    })
    child.stderr.on("data", (chunk: Buffer) => this.keep(utf8.write(chunk)))
    // Failed writes and reads: the end of the process is reported by its exit.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {})
    child.on("error", (cause) => {
      if (child.pid === undefined) this.finish({ code: null, signal: null, failure: whyNot(launch, cause) })
    })
    child.on("exit", (code, signal) => {
      this.exit = { code, signal }
      // A program that it started may hold the pipes.
      this.later(drainMs, () => {
        this.kill("SIGKILL")
        child.stdout.destroy()
        child.stderr.destroy()
        this.finish({ code, signal })
      })
    })
    child.on("close", (code, signal) => this.finish(this.exit ?? { code, signal }))
  }

  private keep(text: string): void {
    this.errors = (this.errors + text).slice(-keptStderr)
    this.handlers.onStderr(text)
  }

  private terminate(): void {
    if (this.exit !== undefined) return
    this.process?.kill("SIGTERM")
    this.later(termGraceMs, () => this.kill("SIGKILL"))
  }

  /** Ends the whole group: `node bin/heddle.js` may be a parent of the bun that runs heddle. */
  private kill(signal: NodeJS.Signals): void {
    const pid = this.process?.pid
    if (pid === undefined) return
    try {
      process.kill(hasGroups ? -pid : pid, signal)
    } catch {
      // Nothing of it is left.
    }
  }

  private later(ms: number, body: () => void): void {
    if (this.isOver) return
    const timer = setTimeout(() => {
      this.timers.delete(timer)
      body()
    }, ms)
    this.timers.add(timer)
  }

  private finish(exit: Exit): void {
    if (this.isOver) return
    this.isOver = true
    for (const timer of this.timers) clearTimeout(timer)
    this.timers.clear()
    this.handlers.onExit(exit)
  }
}
