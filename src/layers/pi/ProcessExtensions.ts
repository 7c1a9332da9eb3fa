/** The extensions of the process, if there are any, and what the command line names that only they may know. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { defined } from "../../domain/Values.ts"
import { Controls } from "../../services/session/modules/Controls.ts"
import { Startup } from "../../services/session/Startup.ts"
import type { Sessions } from "../../services/session/Sessions.ts"
import { Trust } from "../../services/Trust.ts"
import * as InitialModel from "../session/modules/controls/InitialModel.ts"
import * as ExtensionFlags from "../modes/cli/arguments/ExtensionFlags.ts"
import { Declared } from "../workspace/settings/Declared.ts"
import * as Discovery from "./discovery/Discovery.ts"
import type * as Extensions from "./Extensions.ts"

export interface ProcessExtensionsOptions
  extends Discovery.DiscoveryOptions, Pick<Extensions.ExtensionOptions, "asksFirst"> {
  readonly provider?: string
  readonly model?: string
  readonly session: { readonly sessionDir?: string }
  /** What extensions know about heddle. */
  readonly version?: string
  /** Options that heddle does not know, by name: extensions may have registered them. */
  readonly unknownFlags?: ReadonlyMap<string, string | true>
  /** Ends the process when an extension asks for it. Default: nothing happens. */
  readonly shutdown?: Effect.Effect<void>
  /** Ends the process because a required extension is missing after the start. Default: no tool runs without it. */
  readonly refuse?: NonNullable<Extensions.ExtensionOptions["refuse"]>
}

/** Most people have none, so that is found out first. */
export const start = Effect.fnUntraced(function* (
  options: ProcessExtensionsOptions,
  scopedModels: ReadonlyArray<string>,
  sessions: Effect.Effect<typeof Sessions.Service>
) {
  const { shutdown = Effect.void, unknownFlags = new Map(), version = "0.0.0" } = options
  const trust = yield* Trust
  const isTrusted = (yield* trust.level) === "trusted"
  if (trust.isDecided && (yield* Discovery.isEmpty(options, yield* Declared, isTrusted))) return undefined
  const { make } = yield* Effect.promise(() => import("./Extensions.ts"))
  const location = defined({ sessionDir: options.session.sessionDir })
  return yield* make({ ...options, ...location, scopedModels, unknownFlags, sessions, shutdown, version })
})

/** What the command line names may come from extensions: it is judged when they have joined. */
export const judge = Effect.fnUntraced(function* (
  options: ProcessExtensionsOptions,
  sessions: typeof Sessions.Service,
  added: Extensions.Extensions | undefined
) {
  const { model: pattern, provider, unknownFlags = new Map() } = options
  if (added === undefined && options.unknownFlags === undefined) return
  const session = yield* sessions.current
  const { setModel, values } = Context.get(session, Controls)
  const needsModel = (pattern ?? provider) !== undefined && values().model === undefined
  const isRequiring = Discovery.isRequiring(options, yield* Declared)
  if (!isRequiring && !needsModel && unknownFlags.size === 0) return
  yield* Context.get(session, Startup).joined
  if (added !== undefined) yield* added.checkRequired
  const claimed = added === undefined ? new Map() : yield* added.claimedFlags
  const refused = ExtensionFlags.check(unknownFlags, claimed)
  if (refused !== undefined) return yield* refused
  if (!needsModel) return
  const chosen = yield* InitialModel.resolve({ provider, pattern }, undefined)
  if (Option.isSome(chosen)) yield* Effect.ignore(setModel(chosen.value.model.provider, chosen.value.model.id))
})
