/** How queued messages reach a running agent (protocol.md 3.4). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Agent } from "../../services/Agent.ts"
import { InterruptMode, QueueMode } from "../../services/Settings.ts"
import * as Command from "../Command.ts"

const setSteeringMode = Command.make({
  name: "set_steering_mode",
  lane: "ordered",
  summary: "Whether steering messages are delivered one per turn or all at once.",
  origin: ["pi", "omp", "xcsh"],
  params: () => Schema.Struct({ mode: QueueMode }),
  run: ({ mode }) => Effect.flatMap(Agent, (agent) => agent.setSteeringMode(mode))
})

const setFollowUpMode = Command.make({
  name: "set_follow_up_mode",
  lane: "ordered",
  summary: "Whether follow-up messages are delivered one per turn or all at once.",
  origin: ["pi", "omp", "xcsh"],
  params: () => Schema.Struct({ mode: QueueMode }),
  run: ({ mode }) => Effect.flatMap(Agent, (agent) => agent.setFollowUpMode(mode))
})

const setInterruptMode = Command.make({
  name: "set_interrupt_mode",
  lane: "ordered",
  summary: "Whether steering waits for the tool calls of a turn or interrupts them.",
  origin: ["omp", "xcsh"],
  params: () => Schema.Struct({ mode: InterruptMode }),
  run: ({ mode }) => Effect.flatMap(Agent, (agent) => agent.setInterruptMode(mode))
})

export const commands = [setSteeringMode, setFollowUpMode, setInterruptMode]
