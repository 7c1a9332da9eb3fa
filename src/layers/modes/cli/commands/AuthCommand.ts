/** `heddle auth set|list|remove`. */
import * as Prompt from "@effect/cli/Prompt"
import * as BunTerminal from "@effect/platform-bun/BunTerminal"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { keyAdvice, keyVariables } from "../../../../domain/model/ProviderKeys.ts"
import * as AuthFile from "../../../models/keys/AuthFile.ts"
import * as Catalog from "../../../models/catalog/Catalog.ts"
import * as KeyRing from "../../../models/keys/KeyRing.ts"
import * as EnvFiles from "../../../machine/files/own/EnvFiles.ts"
import * as LocalProcesses from "../../../machine/processes/LocalProcesses.ts"
import * as Process from "../../../machine/processes/Process.ts"
import { type Given, invalid, StartupFailure } from "../arguments/OptionTable.ts"

const failed = ({ message }: { readonly message: string }) => new StartupFailure({ code: "STARTUP_ERROR", message })

const withCatalog = <A, E, R>(use: (agentDir: string) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Process.agentDir, (agentDir) =>
    Effect.provide(use(agentDir), Layer.provide(Catalog.layer({ agentDir }), LocalProcesses.layer))
  )

const locator = (agentDir: string) =>
  Effect.flatMap(Process.currentFolder, (cwd) => KeyRing.makeLocate({ agentDir, ...EnvFiles.foldersFor({ cwd }) }))

const requireKnown = Effect.fnUntraced(function* (provider: string) {
  const { providers } = yield* Catalog.Catalog
  if (providers.has(provider) || keyVariables(provider).length > 0) return
  const known = [...providers.keys()].join(", ")
  return yield* invalid(`Unknown provider: ${provider}. Known providers: ${known}. Others are added in models.json.`)
})

/** A prompt for a hidden text reads no files. */
const keyboard = Layer.mergeAll(BunTerminal.layer, FileSystem.layerNoop({}), Path.layer)

const askForKey = (provider: string) =>
  Prompt.run(Prompt.hidden({ message: `API key for ${provider}` })).pipe(
    Effect.catchTag("QuitException", () => failed({ message: "cancelled, nothing was stored" })),
    Effect.provide(keyboard)
  )

const readKey = Effect.fnUntraced(function* (provider: string) {
  const { stdin: hasKeyboard } = yield* Process.terminals
  const given = hasKeyboard ? yield* askForKey(provider) : Redacted.make(yield* Process.readInput)
  const key = Redacted.value(given).trim()
  if (key === "") return yield* invalid("no key was given: pipe it into stdin, or run this in a terminal")
  if (/\s/.test(key))
    return yield* invalid("a key is one word, but there are spaces or several lines in what was given")
  return Redacted.make(key)
})

/** The actions of `heddle auth`: they store and delete keys and never show one. */
const setKey = (provider: string) =>
  withCatalog(
    Effect.fnUntraced(function* (agentDir) {
      yield* requireKnown(provider)
      const path = AuthFile.pathIn(agentDir)
      const key = yield* readKey(provider)
      yield* Effect.mapError(AuthFile.set(path, provider, key), failed)
      yield* Process.print(`Stored the key of ${provider} in ${path}`)
    })
  )

const removeKey = (provider: string) =>
  withCatalog(
    Effect.fnUntraced(function* (agentDir) {
      const path = AuthFile.pathIn(agentDir)
      const removed = yield* Effect.mapError(AuthFile.remove(path, provider), failed)
      if (!removed) return yield* invalid(`${path} has no key of ${provider}`)
      yield* Process.print(`Removed the key of ${provider} from ${path}`)
      const locate = yield* locator(agentDir)
      const left = yield* locate(provider)
      if (Option.isSome(left)) yield* Process.print(`It still has one from: ${left.value.source}`)
    })
  )

const listKeys = withCatalog(
  Effect.fnUntraced(function* (agentDir) {
    const { providers } = yield* Catalog.Catalog
    const stored = yield* yield* AuthFile.watch(AuthFile.pathIn(agentDir))
    const locate = yield* locator(agentDir)
    const rows: Array<ReadonlyArray<string>> = []
    for (const provider of new Set([...providers.keys(), ...stored.keys()])) {
      const found = yield* locate(provider)
      if (Option.isSome(found)) rows.push([provider, found.value.source])
    }
    yield* Process.print(
      rows.length === 0
        ? `No keys found. ${keyAdvice("anthropic")} (or another provider)`
        : Process.table([["PROVIDER", "KEY FROM"], ...rows])
    )
  })
)

const actions = new Map([
  ["set", setKey],
  ["remove", removeKey]
])

/** A surplus word may be a key, so it is never printed. */
export const run = ({ messages: [name = "", provider, ...more] }: Given) => {
  if (name === "list" && provider === undefined) return listKeys
  const act = actions.get(name)
  if (act === undefined) return invalid("expected: heddle auth set|list|remove (see heddle help auth)")
  if (provider !== undefined && more.length === 0) return act(provider)
  return invalid(
    `expected: heddle auth ${name} <provider>. A key is read from stdin or asked for, never from the command line.`
  )
}
