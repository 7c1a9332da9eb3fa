/** What hosts ask for to fill their menus, and in which language (protocol.md 3.8). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { optional } from "../../domain/conversation/Content.ts"
import { Agent } from "../../services/Agent.ts"
import { ModelCatalog } from "../../services/model/ModelCatalog.ts"
import * as Command from "../Command.ts"
import * as Connection from "../connection/Connection.ts"

const setLocale = Command.make({
  name: "set_locale",
  lane: "ordered",
  summary: "The language of the user, for example `de` or `pt-BR`. It is kept; nothing depends on it yet.",
  origin: ["xcsh"],
  params: Schema.Struct({ locale: Schema.NonEmptyString }),
  run: ({ locale }, { connection }) => Effect.asVoid(Connection.prefer(connection, (now) => ({ ...now, locale })))
})

const getIntegrations = Command.make({
  name: "get_integrations",
  lane: "query",
  summary: "Whether the selected model can be called. No other services are connected.",
  notes: "`auth_error` says that there is no key for the provider of the selected model.",
  origin: ["xcsh"],
  params: Command.noParams,
  result: Schema.Struct({
    version: Schema.String,
    model: Schema.Struct({
      state: Schema.Literal("no_provider", "connected", "auth_error"),
      provider: optional(Schema.String)
    }),
    services: Schema.Array(Schema.Struct({ name: Schema.String }))
  }),
  run: Effect.fnUntraced(function* (_params, { connection }) {
    const { model } = yield* Effect.flatMap(Agent, (agent) => agent.state)
    const answer = { version: connection.serverVersion, services: [] }
    if (model === undefined) return { ...answer, model: { state: "no_provider" as const } }
    const isAvailable = yield* Effect.flatMap(ModelCatalog, (catalog) => catalog.isAvailable(model))
    const state = isAvailable ? ("connected" as const) : ("auth_error" as const)
    return { ...answer, model: { state, provider: model.provider } }
  })
})

export const commands = [setLocale, getIntegrations]
