/** Settings, models, keys and `.env` files come from the OwnFiles that a Layer provides, not from the disk. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import * as Catalog from "../../src/layers/models/catalog/Catalog.ts"
import * as KeyRing from "../../src/layers/models/keys/KeyRing.ts"
import { FileRefused, local, OwnFiles } from "../../src/layers/machine/files/own/OwnFiles.ts"
import { Environment } from "../../src/layers/machine/processes/Environment.ts"
import * as LocalProcesses from "../../src/layers/machine/processes/LocalProcesses.ts"
import * as FileSettings from "../../src/layers/workspace/settings/FileSettings.ts"
import { Credentials } from "../../src/services/model/Credentials.ts"
import { Settings } from "../../src/services/Settings.ts"

const [agentDir, cwd] = ["/no/such/agent", "/no/such/project"]

const inMemory = (texts: ReadonlyMap<string, string>) =>
  Layer.succeed(OwnFiles, {
    ...local,
    state: (path) =>
      Effect.succeed(
        Option.getOrUndefined(
          Option.map(Option.fromNullable(texts.get(path)), ({ length: size }) => ({
            stamp: path,
            isFile: true,
            size,
            mode: 0o600
          }))
        )
      ),
    read: (path) => {
      const text = texts.get(path)
      return text === undefined
        ? new FileRefused({ path, code: "ENOENT", message: "not in memory" })
        : Effect.succeed(new TextEncoder().encode(text))
    }
  })

const provider = { baseUrl: "http://lab/v1", api: "openai-completions", models: [{ id: "m" }] }

const files = inMemory(
  new Map([
    [`${agentDir}/settings.json`, '{ "enabledModels": ["lab/m"] } // with a comment'],
    [`${agentDir}/models.json`, JSON.stringify({ providers: { lab: { ...provider, apiKey: "!echo printed" } } })],
    [`${agentDir}/auth.json`, JSON.stringify({ anthropic: { type: "api_key", key: "stored" } })],
    [`${cwd}/.env`, "OPENAI_API_KEY=from-env-file\n"]
  ])
)

const layer = KeyRing.layer({ agentDir, envFolders: [cwd] }).pipe(
  Layer.provideMerge(Layer.merge(FileSettings.layer({ agentDir, cwd, overrides: {} }), Catalog.layer({ agentDir }))),
  Layer.provide([files, LocalProcesses.layer, Layer.succeed(Environment, { get: () => undefined })])
)

it.live("every file of AGENTDIR and every .env file is read through the service", () =>
  Effect.gen(function* () {
    const credentials = yield* Credentials
    const keys = yield* Effect.forEach(["anthropic", "openai", "lab"], (id) =>
      Effect.map(credentials.find(id), Option.map(Redacted.value))
    ).pipe(Effect.provideService(Environment, { get: () => undefined }))
    assert.deepStrictEqual(keys, [Option.some("stored"), Option.some("from-env-file"), Option.some("printed")])
    assert.deepStrictEqual((yield* Settings).enabledModels, ["lab/m"])
  }).pipe(Effect.provide(layer))
)
