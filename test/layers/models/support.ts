/** A temporary AGENTDIR, an environment of its own, and what was logged. */
import { Effect, Layer, Logger } from "effect"
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Catalog from "../../../src/layers/models/catalog/Catalog.ts"
import * as ConfigValue from "../../../src/layers/models/keys/ConfigValue.ts"
import * as KeyRing from "../../../src/layers/models/keys/KeyRing.ts"
import * as LocalProcesses from "../../../src/layers/machine/processes/LocalProcesses.ts"
import { Environment } from "../../../src/layers/machine/processes/Environment.ts"

export const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "heddle-models-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
)

export const write = (path: string, content: unknown, mode = 0o600) =>
  Effect.promise(async () => {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, typeof content === "string" ? content : JSON.stringify(content))
    await chmod(path, mode)
  })

export const environment = (variables: Readonly<Record<string, string>>) =>
  Effect.provideService(Environment, { get: (name) => variables[name] })

/** Runs an effect and hands back what it logged, too. */
export const withLog = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const log: Array<string> = []
    const logger = Logger.make<unknown, void>(({ message }) => void log.push([message].flat().join(" ")))
    return Effect.map(Effect.provide(effect, Logger.replace(Logger.defaultLogger, logger)), (value) => ({ value, log }))
  })

export const catalog = (agentDir: string) => Layer.provide(Catalog.layer({ agentDir }), LocalProcesses.layer)

export const keys = (agentDir: string, more: Partial<KeyRing.KeyRingOptions> = {}) =>
  KeyRing.layer({ agentDir, ...more }).pipe(Layer.provideMerge(catalog(agentDir)))

export const valueOf = (text: string, where: string) => ConfigValue.make(text, where, LocalProcesses.service)

/** What the test bench writes. */
export const bench = {
  providers: {
    mock: {
      baseUrl: "http://127.0.0.1:1",
      api: "anthropic-messages",
      apiKey: "mock-key",
      models: [
        {
          id: "mock-model",
          name: "Mock",
          reasoning: false,
          input: ["text"],
          contextWindow: 50_000_000,
          maxTokens: 64_000,
          cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
        }
      ]
    }
  }
}
