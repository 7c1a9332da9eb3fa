/** Bindings that answer from constants, for modules that ask little of the host. */
import * as Model from "../../../src/domain/model/Model.ts"
import * as Usage from "../../../src/domain/model/Usage.ts"
import { bindings as conversation } from "../../../src/layers/pi/modules/host/ConversationBindings.ts"
import type { Holder, HostBindings } from "../../../src/layers/pi/modules/HostBindings.ts"
import { defaults } from "../../../src/services/Settings.ts"

export const model: Model.Model = {
  id: "loom-1",
  name: "Loom 1",
  api: "openai-completions",
  provider: "weaver",
  baseUrl: "http://localhost",
  reasoning: true,
  input: ["text"],
  cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1000,
  maxTokens: 100
}
export const other: Model.Model = {
  ...model,
  id: "plain",
  provider: "spinner",
  api: "anthropic-messages",
  reasoning: false
}

const unused = () => {
  throw new Error("the test did not expect this call")
}

export const plain: HostBindings = {
  agentDir: "/home/ada/.heddle/agent",
  cwd: "/home/ada/loom",
  version: "9.8.7",
  packageDir: "/opt/heddle",
  settings: () => ({ ...defaults, defaultModel: "loom-1", shellPath: "/bin/zsh" }),
  tools: { make: unused, exclusively: unused, exec: unused },
  sessions: {
    list: unused,
    listAll: unused,
    folderOf: (cwd) => `/sessions${cwd}`,
    read: unused,
    latest: () => undefined
  },
  models: {
    all: () => [model, other],
    available: () => Promise.resolve([model]),
    stream: unused,
    supportedLevels: Model.supportedLevels,
    clampLevel: Model.clampLevel,
    cost: (tokens, prices) => Usage.make(tokens, prices).cost
  },
  conversation,
  credential: (provider) => (provider === "weaver" ? { type: "api_key", key: "k-1" } : undefined)
}

export const holding = (bindings: Partial<HostBindings> = {}): Holder => {
  const all = { ...plain, ...bindings }
  return { get: () => all }
}
