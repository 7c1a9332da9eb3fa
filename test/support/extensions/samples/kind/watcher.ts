/** Counts the events of a run, and says which there were when the run has settled. */
import type { Api } from "../Pi.ts"

const names = [
  "agent_start",
  "turn_start",
  "message_start",
  "message_update",
  "message_end",
  "tool_execution_start",
  "tool_execution_update",
  "tool_execution_end",
  "turn_end",
  "agent_end",
  "agent_settled"
]

export default (pi: Api): void => {
  let seen: Array<string> = []
  for (const name of names) {
    pi.on(name, () => {
      if (seen.at(-1) !== name) seen.push(name)
    })
  }
  pi.on("agent_settled", (_event, ctx) => {
    ctx.ui.notify(seen.join(" "))
    seen = []
  })
}
