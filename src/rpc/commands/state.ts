/** The state of the session (protocol.md 3.2). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { BudgetSnapshot } from "../../domain/budget/BudgetSnapshot.ts"
import { described, JsonObject, optional } from "../../domain/conversation/Content.ts"
import * as MessageQueue from "../../domain/conversation/MessageQueue.ts"
import { Model, ThinkingLevel } from "../../domain/model/Model.ts"
import { ContextUsage } from "../../domain/session/SessionStats.ts"
import { TodoPhase } from "../../domain/todo/Todo.ts"
import { defined } from "../../domain/Values.ts"
import { Agent } from "../../services/Agent.ts"
import { Instructions } from "../../services/session/modules/Instructions.ts"
import { ToolSet } from "../../services/Tools.ts"
import { InterruptMode, QueueMode } from "../../services/Settings.ts"
import { Shell } from "../../services/Shell.ts"
import * as Trust from "../../services/Trust.ts"
import * as Command from "../Command.ts"
import { levelMembers } from "../dialect/Dialect.ts"
import { queuedTexts } from "../protocol/events/QueueFrames.ts"
import { Enforcement, enforcement, protocolVersion } from "../protocol/Capabilities.ts"
import { stateMembers } from "./sessions/sessionInfo.ts"

const Strings = Schema.Array(Schema.String)

const State = Schema.Struct({
  model: optional(Model),
  thinkingLevel: ThinkingLevel,
  thinkingLevelExact: optional(ThinkingLevel, "Present if the dialect has no name for the level."),
  isStreaming: described(Schema.Boolean, "Whether a run is active, including retries and waits."),
  isCompacting: Schema.Boolean,
  steeringMode: QueueMode,
  followUpMode: QueueMode,
  interruptMode: InterruptMode,
  sessionFile: optional(Schema.String),
  sessionId: Schema.String,
  sessionName: optional(Schema.String),
  autoCompactionEnabled: Schema.Boolean,
  autoRetryEnabled: Schema.Boolean,
  isRetrying: Schema.Boolean,
  isBashRunning: Schema.Boolean,
  messageCount: described(Schema.Int, "The messages that the model sees."),
  queuedMessageCount: Schema.Int,
  pendingMessageCount: described(Schema.Int, "The same as `queuedMessageCount`."),
  queuedMessages: optional(
    Schema.Struct({ steering: Strings, followUp: Strings }),
    "The texts of the user; absent if more than 100 are queued."
  ),
  todoPhases: Schema.Array(TodoPhase),
  fastModeEnabled: described(Schema.Boolean, "Always `false`: heddle has no fast mode."),
  fastModeActive: described(Schema.Boolean, "Always `false`."),
  tokensPerSecond: described(Schema.NullOr(Schema.Finite), "Always `null`: heddle does not measure it."),
  hasPendingAsyncWork: described(Schema.Boolean, "Always `false`: heddle has no background jobs."),
  isSettled: described(Schema.Boolean, "Whether nothing happens until the host sends a command."),
  contextUsage: optional(ContextUsage),
  budget: optional(BudgetSnapshot, "Absent if nothing is limited."),
  protocol: Schema.Struct({ dialect: Schema.String, version: Schema.Int }),
  /** Whether code of the project may run and all of its settings count. */
  trust: Trust.TrustLevel,
  enforcement: Enforcement,
  systemPrompt: optional(Schema.String, "With `verbose`, and in the dialect `xcsh-strict`."),
  dumpTools: optional(
    Schema.Array(Schema.Struct({ name: Schema.String, description: Schema.String, parameters: JsonObject })),
    "With `verbose`, and in the dialects `xcsh` and `xcsh-strict`."
  )
}).annotations({ identifier: "State", description: "The state of the session and the process." })

/** Features that do not exist yet are reported as switched off. */
const absentParts = {
  fastModeEnabled: false,
  fastModeActive: false,
  tokensPerSecond: null,
  hasPendingAsyncWork: false
} as const

const getState = Command.make({
  name: "get_state",
  lane: "query",
  summary: "The state of the session; with `verbose` also the system prompt and the tools.",
  origin: ["pi", "omp", "xcsh"],
  params: Schema.Struct({ verbose: optional(Schema.Boolean) }),
  result: State,
  run: Effect.fnUntraced(function* ({ verbose }, { connection }) {
    const agent = yield* Agent
    const shell = yield* Shell
    const {
      autoCompactionEnabled = false,
      autoRetryEnabled = false,
      budget,
      isCompacting = false,
      isRetrying = false,
      isSettled,
      messageCount,
      queue,
      todoPhases = [],
      ...state
    } = yield* agent.state
    const queued = MessageQueue.size(queue)
    const data: typeof State.Type = {
      ...state,
      isCompacting,
      autoCompactionEnabled,
      ...defined({ budget }),
      messageCount,
      autoRetryEnabled,
      isRetrying,
      ...levelMembers(connection.dialect, state.thinkingLevel),
      todoPhases,
      ...absentParts,
      ...(yield* stateMembers(state.model)),
      queuedMessageCount: queued,
      pendingMessageCount: queued,
      ...queuedTexts(queue),
      isBashRunning: yield* shell.isUserRunning,
      isSettled,
      protocol: { dialect: connection.dialect.name, version: protocolVersion },
      trust: yield* Trust.level,
      enforcement: yield* enforcement
    }
    const { largeState = [] } = connection.dialect
    const has = (member: (typeof largeState)[number]) => verbose === true || largeState.includes(member)
    const { active } = yield* ToolSet
    const definitions = Effect.map(active, (tools) => tools.map(({ definition }) => definition))
    return {
      ...data,
      ...(has("systemPrompt") ? { systemPrompt: yield* (yield* Instructions).current } : {}),
      ...(has("dumpTools") ? { dumpTools: yield* definitions } : {})
    }
  })
})

export const commands = [getState]
