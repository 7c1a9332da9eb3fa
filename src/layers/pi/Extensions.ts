/** pi extensions as a contributor to the sessions of the process. Loaded when there is something to load or to ask about. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { defined } from "../../domain/Values.ts"
import type { Contributor } from "../../services/hooks/Hooks.ts"
import { SessionHooks } from "../../services/hooks/Hooks.ts"
import { HostUi } from "../../services/host/HostUi.ts"
import { Files } from "../../services/machine/Files.ts"
import { Processes } from "../../services/machine/Processes.ts"
import { ModelCatalog } from "../../services/model/ModelCatalog.ts"
import { ModelClient } from "../../services/model/ModelClient.ts"
import { Session } from "../../services/session/Session.ts"
import { SessionFiles } from "../../services/session/SessionFiles.ts"
import { ToolSet } from "../../services/Tools.ts"
import { Shell } from "../../services/Shell.ts"
import * as Trust from "../../services/Trust.ts"
import * as LoadGuard from "../machine/foreign/LoadGuard.ts"
import * as LocalPaths from "../machine/files/LocalPaths.ts"
import { OwnFiles } from "../machine/files/own/OwnFiles.ts"
import * as Bridge from "../machine/foreign/Bridge.ts"
import * as Process from "../machine/processes/Process.ts"
import * as SessionFolders from "../storage/sessions/SessionFolders.ts"
import { firstSuccess } from "../Sharing.ts"
import * as Binding from "./Binding.ts"
import { Declared } from "../workspace/settings/Declared.ts"
import * as Discovery from "./discovery/Discovery.ts"
import * as ExtensionHost from "./ExtensionHost.ts"
import * as Required from "./Required.ts"
import * as Bindings from "./modules/host/Bindings.ts"
import * as Values from "./instance/Values.ts"
import * as Serving from "./modules/Serving.ts"

export interface ExtensionOptions extends Discovery.DiscoveryOptions, Binding.BindingOptions {
  readonly version: string
  readonly sessionDir?: string
  /** A person is asked about the project before it is judged what is missing. */
  readonly asksFirst?: boolean
  /** Ends the process, because what the user requires is not there. */
  readonly refuse?: (failure: Required.RequiredExtensionMissing) => Effect.Effect<void>
}

export interface Extensions {
  readonly contributor: Contributor
  /** The command line options that extensions have registered, by name. */
  readonly claimedFlags: ExtensionHost.ExtensionHost["claimedFlags"]
  /** Fails if a required extension has not loaded into the newest session, and no answer of the user can change that. */
  readonly checkRequired: Effect.Effect<void, Required.RequiredExtensionMissing>
}

type Report = (typeof SessionHooks.Service)["report"]

/** Model calls of code that was imported rather than handed to an extension. */
const modelBindings = Effect.gen(function* () {
  const catalog = yield* ModelCatalog
  const bridge = yield* Bridge.make
  const client = yield* ModelClient
  return {
    all: () => bridge.read(catalog.all),
    available: () => bridge.run(catalog.available),
    stream: (model, context, options) => {
      const given = Values.options(Values.plainOf(options))
      const { run, stream } = bridge.read(Binding.callModel(model, Values.plainOf(context), given))
      bridge.fire(Effect.provideService(run, ModelClient, client), () => {})
      return stream
    }
  } satisfies Bindings.BindingOptions["models"]
})

/** Makes the modules importable that extensions expect to find, and answers what they do for sessions. */
const serveModules = Effect.fnUntraced(function* ({ agentDir, cwd, sessionDir, version }: ExtensionOptions) {
  const bindings = yield* Bindings.make({
    location: yield* SessionFolders.locate({ agentDir, cwd, ...defined({ sessionDir }) }),
    version,
    packageDir: yield* Process.packageDir,
    machine: Context.make(Files, yield* Files).pipe(Context.add(Processes, yield* Processes)),
    shell: yield* Shell,
    files: Serving.files,
    models: yield* modelBindings
  })
  yield* Serving.serve
  return bindings
})

/**
 * Lets no code of the project be loaded but what the user's answer was about. An extension of the user that lies in the project
 * imports from it what it likes; then the start alone has compared.
 */
const guardProject = Effect.fnUntraced(function* (
  { agentDir, cwd, extensionPaths = [], requiredPaths = [] }: ExtensionOptions,
  extensions: ReadonlyArray<Discovery.FoundExtension>
) {
  const code = yield* Effect.flatMap(Trust.Trust, (trust) => trust.code)
  if (code === undefined || extensions.every(({ scope }) => scope !== "project")) return
  const { real } = yield* OwnFiles
  const realOf = (path: string) => Effect.orElseSucceed(real(path), () => path)
  const [root, own] = [yield* realOf(cwd), yield* realOf(agentDir)]
  const others = extensions.flatMap(({ path, scope }) =>
    scope === "project" || path.startsWith(`${own}/`) ? [] : [path]
  )
  const named = yield* Effect.forEach([...extensionPaths, ...requiredPaths], (path) =>
    realOf(LocalPaths.absolute(cwd, path))
  )
  if ([...others, ...named].some((path) => path.startsWith(`${root}/`))) return
  yield* LoadGuard.guardProject({ code, root, free: [own, yield* Process.packageDir] })
})

/** Finds extensions again at every reload. What cannot be loaded is reported and left out. */
const makeFind = Effect.fnUntraced(function* (options: ExtensionOptions, report: Report) {
  const services = yield* Effect.context<Effect.Effect.Context<ReturnType<typeof Discovery.find>>>()
  const isRequiring = Discovery.isRequiring(options, yield* Declared)
  return Discovery.find(options).pipe(
    Effect.tap(({ extensions }) => guardProject(options, extensions)),
    Effect.map(({ extensions, missing, problems }): ExtensionHost.Found => {
      for (const { message, path } of problems) report({ name: path, event: "load", message })
      return { extensions, missing }
    }),
    Effect.catchAll((failure) =>
      Effect.sync((): ExtensionHost.Found => {
        const { message } = failure
        report({ name: "extensions", event: "load", message })
        // Of what could not be found nothing says whether it was required.
        return { extensions: [], missing: isRequiring ? [{ path: "extensions", message }] : [] }
      })
    ),
    Effect.provide(services)
  )
})

/** Asks the user about a project without a stored decision. The answer may take as long as they like. */
const askForTrust = Effect.fnUntraced(function* (
  { missing, reload }: ExtensionHost.ExtensionHost,
  hooks: typeof SessionHooks.Service,
  { asksFirst = false, refuse = () => Effect.void }: ExtensionOptions
) {
  const ui = yield* HostUi
  const trust = yield* Trust.Trust
  if (trust.isDecided || !(yield* ui.isPresent)) return
  const { level, notice } = yield* trust.ask((question) =>
    Effect.gen(function* () {
      let isAnswered = true
      const onUnanswered = Effect.sync(() => {
        isAnswered = false
      })
      const sure = yield* ui.confirm({ ...question, onUnanswered })
      return isAnswered ? sure : undefined
    })
  )
  if (notice !== undefined) hooks.notify({ level: "info", message: notice, source: "trust" })
  if (level === "trusted") yield* reload
  if (asksFirst && missing().length > 0) yield* refuse(Required.failure(missing()))
})

/** The contributor lives as long as the scope, which owns what outlives a session. */
export const make = Effect.fnUntraced(function* (options: ExtensionOptions) {
  const scope = yield* Effect.scope
  let current: typeof SessionHooks.Service | undefined
  const find = yield* makeFind(options, (problem) => current?.report(problem))
  const host = yield* ExtensionHost.make({ find, bind: yield* Binding.make(options) })
  const ask = yield* Effect.map(
    Effect.context<HostUi>(),
    (services) => (hooks: typeof SessionHooks.Service) => Effect.provide(askForTrust(host, hooks, options), services)
  )
  const services = yield* Effect.context<Effect.Effect.Context<ReturnType<typeof serveModules>>>()
  const serve = firstSuccess(Scope.extend(Effect.provide(serveModules(options), services), scope))
  const isRequiring = Discovery.isRequiring(options, yield* Declared)
  const trust = yield* Trust.Trust
  const isAsked = options.asksFirst === true && !trust.isDecided
  const checkRequired = Effect.suspend(() => {
    const missing = host.missing().filter(({ awaitsTrust }) => !isAsked || awaitsTrust !== true)
    return missing.length === 0 ? Effect.void : Effect.fail(Required.failure(missing))
  })
  let isQuestionDue = true
  const join = Effect.fnUntraced(function* (opening: Parameters<Contributor["join"]>[0]) {
    const hooks = yield* SessionHooks
    current = hooks
    yield* Serving.enter(yield* Session, { bindings: yield* serve, files: yield* SessionFiles })
    if (isQuestionDue) {
      isQuestionDue = false
      const registration = yield* hooks.join("trust")
      // The host may join after the extensions: before the start of the session there is no host to answer.
      registration.on("sessionStarted", () => Effect.asVoid(Effect.forkIn(ask(hooks), scope)))
    }
    if (isRequiring) yield* Required.guard(hooks, host.missing)
    // Extensions ask for the tools without waiting, and the built-in ones are loaded when they are first asked for.
    yield* Effect.flatMap(ToolSet, ({ all }) => all)
    yield* host.contributor.join(opening)
  })
  const extensions: Extensions = {
    contributor: { name: "extensions", join },
    claimedFlags: host.claimedFlags,
    checkRequired
  }
  return extensions
})
