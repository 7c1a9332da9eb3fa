/**
 * A running `heddle --mode rpc`: sends commands, matches responses by id, and passes all other frames to `onEvent`. It splits
 * bytes at LF. Node's readline would also split at U+2028, which is legal inside a JSON string.
 */
import { spawn } from "node:child_process"
import { type Frame, isFrame, text } from "./Frame.ts"

export interface RpcProcessOptions {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly cwd?: string
  /** Called for every frame that is not a response, in order. */
  readonly onEvent: (frame: Frame) => void
  readonly onStderr: (text: string) => void
}

/** heddle refused a command. `code` is for programs, the message for users. */
export class CommandFailed extends Error {
  readonly code: string
  constructor(response: Frame) {
    super(text(response, "error"))
    this.code = text(response, "code")
  }
}

interface Waiter {
  readonly resolve: (frame: Frame) => void
  readonly reject: (error: Error) => void
}

/** A promise and the functions that settle it: Node 20 does not have `Promise.withResolvers` yet. */
const makeWaiter = (): Waiter & { readonly promise: Promise<Frame> } => {
  let [resolve, reject]: [Waiter["resolve"], Waiter["reject"]] = [() => {}, () => {}]
  const promise = new Promise<Frame>((resolved, rejected) => {
    ;[resolve, reject] = [resolved, rejected]
  })
  return { promise, resolve, reject }
}

const parse = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** How long to wait for heddle to end. heddle itself promises three seconds. */
const graceMs = 5000

export class RpcProcess {
  /** Resolves with the frame `ready`; rejects if the process ends before it. */
  readonly ready: Promise<Frame>
  /** Resolves with the exit code, or with 1 if the process could not be started. */
  readonly exited: Promise<number>
  private readonly child
  private readonly responses = new Map<string, Waiter>()
  private readonly results = new Map<string, Waiter>()
  private readonly options: RpcProcessOptions
  private ended: Error | undefined
  private unfinished: Array<Uint8Array> = []
  private count = 0

  constructor(options: RpcProcessOptions) {
    this.options = options
    this.child = spawn(options.command, options.args, {
      cwd: options.cwd,
      stdio: ["pipe", "pipe", "pipe"],
      // A process group of its own, so that Ctrl-C reaches only the host, which then sends `abort`.
      detached: process.platform !== "win32"
    })
    const first = makeWaiter()
    this.ready = first.promise
    this.results.set("ready", first)
    this.child.stdout.on("data", (chunk: Uint8Array) => this.split(chunk))
    this.child.stderr.setEncoding("utf8").on("data", options.onStderr)
    // Ignores failed writes to a process that has just ended: `exited` reports the end.
    this.child.stdin.on("error", () => undefined)
    this.exited = new Promise((resolve) => {
      this.child.on("error", (error) => resolve(this.fail(1, `cannot start ${options.command}: ${error.message}`)))
      this.child.on("close", (code) => resolve(this.fail(code ?? 1, `heddle ended with exit code ${code ?? "none"}`)))
    })
    // A caller that waits for `ready` gets the failure. Without one it is not an unhandled rejection.
    this.ready.catch(() => undefined)
  }

  /** Sends a command and resolves with the `data` of its response. */
  async request(type: string, members: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    const response = await this.send(`r${++this.count}`, type, members)
    return response["data"]
  }

  /** Sends a prompt and resolves with its `prompt_result`, after every event of the run. */
  async prompt(message: string): Promise<Frame> {
    const id = `r${++this.count}`
    const result = makeWaiter()
    // Registers the result before sending, because response and result may come in one chunk.
    this.results.set(id, result)
    const accepted = this.send(id, "prompt", { message })
    accepted.catch(() => this.results.delete(id))
    // Both reject when the process ends, and the caller gets one error.
    await Promise.race([accepted, result.promise])
    return result.promise
  }

  /** Sends a frame that gets no response. */
  post(frame: object): void {
    if (this.ended === undefined) this.child.stdin.write(`${JSON.stringify(frame)}\n`)
  }

  /** Closes stdin, which tells heddle to end, and waits for the exit. */
  async close(): Promise<number> {
    this.child.stdin.end()
    const timer = setTimeout(() => this.child.kill("SIGKILL"), graceMs)
    const code = await this.exited
    clearTimeout(timer)
    return code
  }

  private async send(id: string, type: string, members: Readonly<Record<string, unknown>>): Promise<Frame> {
    if (this.ended !== undefined) throw this.ended
    const answer = makeWaiter()
    this.responses.set(id, answer)
    this.child.stdin.write(`${JSON.stringify({ id, type, ...members })}\n`)
    const response = await answer.promise
    if (response["success"] !== true) throw new CommandFailed(response)
    return response
  }

  /** Joins the bytes of a line before decoding it, because a chunk may end inside a character. */
  private split(chunk: Uint8Array): void {
    let start = 0
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
      const line = Buffer.concat([...this.unfinished, chunk.subarray(start, end)]).toString("utf8")
      this.unfinished = []
      start = end + 1
      this.receive(line)
    }
    if (start < chunk.length) this.unfinished.push(chunk.subarray(start))
  }

  private receive(line: string): void {
    const frame = parse(line)
    if (!isFrame(frame)) return this.options.onStderr(`not a frame: ${line}\n`)
    if (frame.type === "response") return this.settle(this.responses, text(frame, "id"), frame)
    this.options.onEvent(frame)
    if (frame.type === "ready") this.settle(this.results, "ready", frame)
    if (frame.type === "prompt_result") this.settle(this.results, text(frame, "id"), frame)
  }

  private settle(waiters: Map<string, Waiter>, id: string, frame: Frame): void {
    waiters.get(id)?.resolve(frame)
    waiters.delete(id)
  }

  private fail(code: number, reason: string): number {
    const ended = new Error(reason)
    this.ended = ended
    const waiting = [...this.responses.values(), ...this.results.values()]
    this.responses.clear()
    this.results.clear()
    for (const { reject } of waiting) reject(ended)
    return code
  }
}
