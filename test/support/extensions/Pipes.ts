/** The real command with sample extensions and a model that the prompts direct, driven frame by frame. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { at, list, text } from "../../compat/host/Frames.ts"
import * as HostProcess from "../host/HostProcess.ts"
import * as ChatModel from "../ChatModel.ts"

export type Frame = HostProcess.Frame
type Frames = ReadonlyArray<Frame>

const samples = join(import.meta.dirname, "samples")
export const sample = (name: string) => join(samples, name)

/** A folder for the files of one test: home and workspace. */
export interface Place {
  readonly home: string
  readonly agentDir: string
  readonly cwd: string
  readonly put: (path: string, content: string | object) => string
}

export interface Pipes {
  readonly host: HostProcess.HostProcess
  readonly requests: ReadonlyArray<ChatModel.ModelRequest>
  /** The first frame that fits and has come since the start, or since `from`. */
  readonly until: (fits: (frame: Frame) => boolean, from?: number) => Promise<Frame>
  /** Sends a command, and answers its response. */
  readonly ask: (frame: object) => Promise<Frame>
  /** All frames from a prompt to the one that says that it is over. */
  readonly prompt: (message: string, rest?: object) => Promise<Frames>
  /** Makes the model call a tool, and answers its result. */
  readonly call: (tool: string, args?: object) => Promise<ToolResult>
  readonly mark: () => number
  readonly since: (mark: number) => Frames
  /** How long the answer to `get_state` takes, in milliseconds. */
  readonly stateMs: () => Promise<number>
  /** Closes stdin, and answers the exit code. */
  readonly end: () => Promise<number | null>
  readonly signal: (name: NodeJS.Signals) => Promise<{ readonly code: number | null; readonly ms: number }>
}

export interface ToolResult {
  readonly text: string
  readonly details: unknown
  readonly isError: boolean
}

export interface OpenOptions {
  readonly extensions?: ReadonlyArray<string>
  readonly args?: ReadonlyArray<string>
  readonly place?: Place
  /** False: no `--model`, so that the test names one itself. */
  readonly model?: boolean
  readonly command?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
}

const loopback = (baseUrl: string) => ({
  baseUrl,
  api: "openai-completions",
  apiKey: "loopback-needs-none",
  models: [{ id: "scripted", name: "Scripted", reasoning: false, input: ["text"], contextWindow: 200_000 }]
})

export const place = Effect.acquireRelease(
  Effect.sync((): Place => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "heddle-ext-")))
    const put = (path: string, content: string | object) => {
      const file = join(root, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content))
      return file
    }
    const made: Place = { home: root, agentDir: join(root, ".heddle/agent"), cwd: join(root, "work"), put }
    for (const folder of [made.agentDir, made.cwd]) mkdirSync(folder, { recursive: true })
    return made
  }),
  ({ home }) => Effect.sync(() => rmSync(home, { recursive: true, force: true }))
)

export const resultOf = (frame: unknown): ToolResult => ({
  text: text(at(frame, "result", "content")),
  details: at(frame, "result", "details"),
  isError: at(frame, "isError") === true
})

const isUi = (method: string) => (frame: Frame) =>
  frame["type"] === "extension_ui_request" && frame["method"] === method
export const dialog = isUi

/** The texts of the notifications among the frames. */
export const notes = (frames: Frames) => frames.filter(isUi("notify")).map(({ message }) => String(message))

/** The `extension_error` frames: which file, what it was doing, and the error. */
export const errors = (frames: Frames) =>
  frames
    .filter(({ type }) => type === "extension_error")
    .map(({ error, event, extensionPath }) => {
      const path = String(extensionPath)
      return [path.startsWith(samples) ? path.slice(samples.length + 1) : path, event, error]
    })

/** The texts of the messages of a role that ended among the frames. */
export const messages = (frames: Frames, role: string) =>
  frames
    .filter((frame) => frame["type"] === "message_end" && at(frame, "message", "role") === role)
    .map((frame) => text(at(frame, "message", "content")))

const patience = 10_000

/** A test that waits in vain says what it has seen. */
const limited = (host: HostProcess.HostProcess, wait: Promise<Frame>) => {
  const { promise, reject } = Promise.withResolvers<never>()
  const giveUp = () => {
    const seen = host.lines.slice(-12).map((line) => line.slice(0, 300))
    reject(new Error(`waited in vain; the last frames:\n${seen.join("\n")}\nstderr: ${host.stderr().slice(-2000)}`))
  }
  const timer = setTimeout(giveUp, patience)
  return Promise.race([wait, promise]).finally(() => clearTimeout(timer))
}

const makePipes = (host: HostProcess.HostProcess, requests: Pipes["requests"]): Pipes => {
  let ids = 0
  const until = (fits: (frame: Frame) => boolean, from = 0) =>
    limited(
      host,
      host.until((frame) => fits(frame) && (from === 0 || host.frames().indexOf(frame) >= from))
    )
  const ask = (frame: object) => {
    const id = `c${++ids}`
    host.send({ ...frame, id })
    return until(HostProcess.answer(id))
  }
  const prompt = async (message: string, rest: object = {}) => {
    const id = `p${++ids}`
    const from = host.frames().length
    host.send({ id, type: "prompt", message, ...rest })
    const isEnd = (frame: Frame) =>
      frame["id"] === id &&
      (frame["type"] === "prompt_result" || frame["success"] === false || at(frame, "data", "agentInvoked") === false)
    const last = host.frames().indexOf(await until(isEnd))
    return host.frames().slice(from, last + 1)
  }
  return {
    host,
    requests,
    until,
    ask,
    prompt,
    call: async (tool, args = {}) => {
      const frames = await prompt(`CALL ${tool} ${JSON.stringify(args)}`)
      return resultOf(frames.find((frame) => frame["type"] === "tool_execution_end" && frame["toolName"] === tool))
    },
    mark: () => host.frames().length,
    since: (mark) => host.frames().slice(mark),
    stateMs: async () => {
      const start = performance.now()
      await ask({ type: "get_state" })
      return performance.now() - start
    },
    end: async () => {
      host.closeInput()
      return (await host.exited).code
    },
    signal: async (name) => {
      const start = performance.now()
      host.child.kill(name)
      const { code } = await host.exited
      return { code, ms: performance.now() - start }
    }
  }
}

/** A process with these sample extensions, which ends with the scope. */
export const open = Effect.fnUntraced(function* (options: OpenOptions = {}) {
  const { args = [], command, env = {}, extensions = [], model: withModel = true } = options
  const where = options.place ?? (yield* place)
  const model = yield* Effect.acquireRelease(Effect.sync(ChatModel.start), ({ stop }) => Effect.sync(stop))
  writeFileSync(
    join(where.agentDir, "models.json"),
    JSON.stringify({ providers: { loopback: loopback(model.baseUrl) } })
  )
  const host = yield* HostProcess.open({
    home: where.home,
    cwd: where.cwd,
    args: [
      "--offline",
      "--rpc-updates",
      "delta",
      ...(withModel ? ["--model", "loopback/scripted"] : []),
      ...extensions.flatMap((name) => ["-e", name.startsWith("/") ? name : sample(name)]),
      ...args
    ],
    env: { TMPDIR: where.home, ...env },
    ...(command === undefined ? {} : { command })
  })
  return makePipes(host, model.requests)
})

/** A test with one process. */
export const play = (name: string, options: OpenOptions, body: (pipes: Pipes) => Promise<void>) =>
  it.scopedLive(name, () => Effect.flatMap(open(options), (pipes) => Effect.promise(() => body(pipes))))

/** A test with several processes in one place. */
export const plays = (
  name: string,
  body: (start: (options?: OpenOptions) => Promise<Pipes>, place: Place) => Promise<void>
) =>
  it.scopedLive(name, () =>
    Effect.gen(function* () {
      const where = yield* place
      const runtime = yield* Effect.runtime<Effect.Effect.Context<ReturnType<typeof open>>>()
      const start = (options: OpenOptions = {}) =>
        Effect.runPromise(Effect.provide(open({ ...options, place: where }), runtime))
      yield* Effect.promise(() => body(start, where))
    })
  )

export const dataOf = (frame: Frame, ...path: ReadonlyArray<string | number>) => at(frame, "data", ...path)
export { at, list, text }
