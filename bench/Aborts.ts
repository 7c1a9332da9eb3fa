/** How long the abort of a running command takes, beside pi's. Both models ask for `bash` again and again. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type * as Host from "./Host.ts"
import { cli, mockModel, piName, type Place, targets } from "./Targets.ts"

export const commands: Record<string, string> = {
  plain: "echo ready; sleep 60",
  "a group": "sleep 60 & sleep 60 | cat & echo ready; wait",
  "a session of its own": "setsid sleep 60 & echo ready; wait",
  "ignores SIGTERM": "trap '' TERM; echo ready; while :; do sleep 60; done",
  "goes on after SIGTERM": "trap : TERM; echo ready; while :; do sleep 60; done"
}

export interface Target {
  readonly launch: Host.Launch
  readonly stop: () => void
}

const heddle = (place: Place, command: string): Target => {
  const file = join(place.work, "abort.json")
  const steps = [{ toolCall: { name: "bash", arguments: { command } } }]
  writeFileSync(file, JSON.stringify({ turns: [{ steps }], atEnd: "repeat" }))
  const stop = () => undefined
  return { launch: cli(place, "--model", "offline/script", "--set", `offline.scenario=${file}`), stop }
}

const events = (command: string) => {
  const usage = { input_tokens: 1, output_tokens: 1 }
  const message = { id: "m", type: "message", role: "assistant", model: "mock", content: [], stop_reason: null, usage }
  return [
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "t", name: "bash", input: {} } },
    {
      type: "content_block_delta",
      index: 0,
      delta: { type: "input_json_delta", partial_json: JSON.stringify({ command }) }
    },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage },
    { type: "message_stop" }
  ]
}

const pi = (place: Place, command: string): Target | undefined => {
  const launch = targets[piName]?.(place)
  if (launch === undefined) return undefined
  const body = events(command)
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("")
  const headers = { "content-type": "text/event-stream" }
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(body, { headers }) })
  mockModel(place, server.url.origin)
  return { launch, stop: () => void server.stop(true) }
}

export const programs: Record<string, (place: Place, command: string) => Target | undefined> = {
  heddle,
  [piName]: pi
}

const is = (type: string) => (frame: Host.Frame) => frame["type"] === type
const isReady = (frame: Host.Frame) => is("tool_execution_update")(frame) && JSON.stringify(frame).includes("ready")

/** Long enough that what a command does at its start is over. */
const settled = 300

/** Milliseconds from the abort until its answer and `agent_end` are there, in a process that has done it `warmUps` times. */
export const measure = async ({ request, waitFor }: Host.Host, warmUps: number): Promise<number> => {
  const abort = async () => {
    const ready = waitFor("first output of the command", isReady)
    await request({ type: "prompt", message: "go" })
    await ready
    await Bun.sleep(settled)
    const from = performance.now()
    await Promise.all([waitFor("agent_end", is("agent_end")), request({ type: "abort" })])
    return performance.now() - from
  }
  for (let round = 0; round < warmUps; round++) await abort()
  return abort()
}
