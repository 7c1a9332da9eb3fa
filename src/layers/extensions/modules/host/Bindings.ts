/** Puts together what the importable modules need, from the services of the agent. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import type { JsonObject } from "../../../../domain/conversation/Content.ts"
import * as Json from "../../../../domain/Json.ts"
import { clampLevel, supportedLevels } from "../../../../domain/model/Model.ts"
import * as Usage from "../../../../domain/model/Usage.ts"
import { Settings } from "../../../../services/Settings.ts"
import { SessionStore } from "../../../../services/session/SessionStore.ts"
import * as AuthFile from "../../../models/AuthFile.ts"
import * as ReadNow from "../../../platform/modules/ReadNow.ts"
import type { Location } from "../../../session/SessionFolders.ts"
import type { HostBindings, ModelBindings } from "../HostBindings.ts"
import * as Bridge from "./Bridge.ts"
import * as ConversationBindings from "./ConversationBindings.ts"
import * as SessionBindings from "./SessionBindings.ts"
import * as ToolBindings from "./ToolBindings.ts"

export interface BindingOptions extends ToolBindings.ToolServices {
  readonly location: Location
  readonly version: string
  readonly packageDir: string
  readonly models: Pick<ModelBindings, "all" | "available" | "stream">
}

/** The entry of a provider in auth.json. Extensions are trusted code: pi gives them keys, too. */
const credentialIn = (agentDir: string) => {
  const path = AuthFile.pathIn(agentDir)
  return (provider: string): JsonObject | undefined => {
    const entries = Either.getOrUndefined(Json.parse(ReadNow.textIfPresent(path) ?? "{}"))
    const entry = Predicate.isReadonlyRecord(entries) ? entries[provider] : undefined
    return Predicate.isReadonlyRecord(entry) ? entry : undefined
  }
}

/** The scope owns all that extensions run through the bindings. */
export const make = Effect.fnUntraced(function* (options: BindingOptions) {
  const { models, packageDir, location, version } = options
  const settings = yield* Settings
  const run = yield* Bridge.make
  const bindings: HostBindings = {
    agentDir: location.agentDir,
    cwd: location.cwd,
    version,
    packageDir,
    settings: () => settings,
    tools: yield* ToolBindings.make(options, run),
    sessions: SessionBindings.make(yield* SessionStore, location, run),
    models: {
      ...models,
      supportedLevels,
      clampLevel,
      cost: (tokens, prices) => Usage.make(tokens, prices).cost
    },
    conversation: ConversationBindings.bindings,
    credential: credentialIn(location.agentDir)
  }
  return bindings
})
