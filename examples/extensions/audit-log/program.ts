/** `bun examples/extensions/audit-log/program.ts <scenario>`: an agent in a program, whose tool calls are printed. */
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import { Console, Effect, Layer, Option } from "effect"
import * as Heddle from "heddle"
import * as AuditLog from "./AuditLog.ts"

const cwd = process.cwd()
const scenario = Option.fromNullable(process.argv[2])

const models = Layer.unwrapEffect(
  Effect.map(Heddle.Offline.make({ cwd, scenario }), (offline) => Heddle.ProviderRegistry.layerOwn([offline]))
)
const agent = Heddle.EmbeddedAgent.layer({ cwd, model: Heddle.Offline.script }).pipe(
  Layer.provide([models, AuditLog.layer((entry) => Console.log(JSON.stringify(entry)))])
)

const program = Effect.gen(function* () {
  const { awaitIdle, prompt } = yield* Heddle.Agent.Agent
  yield* prompt({ text: "go" })
  yield* awaitIdle
})

BunRuntime.runMain(Effect.provide(program, agent))
