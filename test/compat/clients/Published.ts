/** Clients as they are published on npm, as far as the checks use them. What they really are decides when the checks run. */
import { join } from "node:path"
import * as Npm from "../install/Npm.ts"
import { Failure } from "../host/Host.ts"

export type Frame = Readonly<Record<string, unknown>>

/** The methods that the clients of pi and omp have in common. */
export interface Client {
  readonly start: () => Promise<void>
  readonly stop: () => Promise<void>
  readonly onEvent: (listener: (event: Frame) => void) => () => void
  readonly prompt: (message: string) => Promise<void>
  readonly steer: (message: string) => Promise<void>
  readonly followUp: (message: string) => Promise<void>
  readonly abort: () => Promise<void>
  readonly newSession: () => Promise<Frame>
  readonly getState: () => Promise<Frame>
  readonly setModel: (provider: string, modelId: string) => Promise<Frame>
  readonly cycleModel: () => Promise<Frame | null>
  readonly getAvailableModels: () => Promise<ReadonlyArray<Frame>>
  readonly setThinkingLevel: (level: string) => Promise<void>
  readonly setSteeringMode: (mode: "all" | "one-at-a-time") => Promise<void>
  readonly setAutoCompaction: (enabled: boolean) => Promise<void>
  readonly setAutoRetry: (enabled: boolean) => Promise<void>
  readonly bash: (command: string) => Promise<Frame>
  readonly getSessionStats: () => Promise<Frame>
  readonly exportHtml: (path: string) => Promise<Frame>
  readonly switchSession: (path: string) => Promise<Frame>
  readonly getLastAssistantText: () => Promise<string | null>
  readonly getMessages: () => Promise<ReadonlyArray<Frame>>
  readonly waitForIdle: (timeout?: number) => Promise<void>
  readonly promptAndWait: (message: string) => Promise<ReadonlyArray<Frame>>
}

export interface ClientOptions {
  readonly cliPath: string
  readonly command?: ReadonlyArray<string>
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly args: ReadonlyArray<string>
  readonly customTools?: ReadonlyArray<object>
}

export type ClientClass = new (options: ClientOptions) => Client

const isClass = (value: unknown): value is ClientClass => typeof value === "function"

const load = async (file: string): Promise<ClientClass> => {
  const { RpcClient } = await import(file)
  if (!isClass(RpcClient)) throw new Failure(`${file} exports no RpcClient`)
  return RpcClient
}

/** The client of pi needs no package. */
const pi = (version: string) => async (into: string) => {
  const folder = await Npm.unpack(`@earendil-works/pi-coding-agent@${version}`, into, "dist/modes/rpc")
  return load(join(folder, "dist/modes/rpc/rpc-client.js"))
}

/** The client of omp needs its utilities beside it, and bun. */
const omp = (version: string) => async (into: string) => {
  await Npm.install(`@oh-my-pi/pi-utils@${version}`, into)
  const folder = await Npm.unpack(`@oh-my-pi/pi-coding-agent@${version}`, into, "src/modes/rpc")
  return load(join(folder, "src/modes/rpc/rpc-client.ts"))
}

export type Family = "pi" | "omp"

export const published: ReadonlyArray<{
  readonly name: string
  readonly family: Family
  readonly load: (into: string) => Promise<ClientClass>
}> = [
  { name: "pi 0.74.2", family: "pi", load: pi("0.74.2") },
  { name: "pi 0.87.1", family: "pi", load: pi("0.87.1") },
  { name: "pi 1.5.0", family: "pi", load: pi("1.5.0") },
  { name: "omp 18.2.3", family: "omp", load: omp("18.2.3") }
]
