/** What hosts ask for to fill their menus: subagents and connected services (protocol.md 3.8, supplement 1.3). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { optional } from "../../domain/conversation/Content.ts"
import { Agent } from "../../services/Agent.ts"
import { ModelCatalog } from "../../services/model/ModelCatalog.ts"
import * as Command from "../Command.ts"

const getSubagents = Command.make({
  name: "get_subagents",
  lane: "query",
  summary: "The subagents that are at work. There are none yet.",
  origin: ["omp"],
  params: Command.noParams,
  result: () => Schema.Struct({ subagents: Schema.Array(Schema.Struct({ id: Schema.String })) }),
  run: () => Effect.succeed({ subagents: [] })
})

const subscriptions = ["off", "progress", "events"] as const
const isSubscription = (level: string) => subscriptions.some((known) => known === level)

const setSubagentSubscription = Command.make({
  name: "set_subagent_subscription",
  lane: "ordered",
  summary: "Which frames of subagents the host wants. There are no subagents yet, so the answer is always `off`.",
  origin: ["omp"],
  params: () => Schema.Struct({ level: Schema.String }),
  result: () => Schema.Struct({ level: Schema.Literal("off") }),
  errors: ["invalid_level"],
  run: Effect.fnUntraced(function* ({ level }) {
    if (isSubscription(level)) return { level: "off" } as const
    return yield* new Command.CommandFailure({
      code: "invalid_level",
      message: `Invalid subagent subscription level: ${level}`,
      data: { supported: subscriptions }
    })
  })
})

const setLocale = Command.make({
  name: "set_locale",
  lane: "ordered",
  summary: "The language of the user, for example `de` or `pt-BR`. It is kept; nothing depends on it yet.",
  origin: ["xcsh"],
  params: () => Schema.Struct({ locale: Schema.NonEmptyString }),
  run: ({ locale }, { connection }) =>
    Effect.sync(() => {
      connection.locale = locale
    })
})

const getIntegrations = Command.make({
  name: "get_integrations",
  lane: "query",
  summary: "Whether the selected model can be called. No other services are connected.",
  notes: "`auth_error` says that there is no key for the provider of the selected model.",
  origin: ["xcsh"],
  params: Command.noParams,
  result: () =>
    Schema.Struct({
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

export const commands = [getSubagents, setSubagentSubscription, setLocale, getIntegrations]
