/** Random schedules of what a host can do at any moment, against the rules of the protocol. Many schedules share a process. */
import { randomUUID } from "node:crypto"

import * as Agent from "../../support/torture/Agent.ts"
import * as Heddle from "../../support/torture/Heddle.ts"
import { holding } from "../../support/torture/Proc.ts"
import type { Context, Part } from "../../support/torture/Part.ts"
import type { Random } from "../../support/torture/Random.ts"
import * as Accounts from "./Accounts.ts"
import * as Actions from "./Actions.ts"
import * as Grammar from "./Grammar.ts"

/** In one process: sessions and queues of one schedule must not show in the next. */
const schedulesOfAProcess = 50
const waitMs = 20_000

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

const follow = (known: Actions.Known) => (frame: Agent.Frame) => {
  const data = frame["data"]
  if (frame["type"] === "response" && Agent.isFrame(data) && data["messageId"] !== undefined)
    known.messageId = data["messageId"]
  if (frame["type"] === "agent_start") known.runId = frame["runId"]
  if (frame["type"] === "tool_execution_start") known.toolCallId = frame["toolCallId"]
}

/** Answers calls of host tools; a frame that comes late must not do harm. */
const serveTools = (agent: Agent.Agent, random: Random) => {
  const timers = new Set<ReturnType<typeof setTimeout>>()
  const stop = agent.watch((frame) => {
    if (frame["type"] !== "host_tool_call") return
    for (const [afterMs, answer] of Actions.answers(random, frame["id"]))
      timers.add(setTimeout(() => void agent.send(answer), afterMs))
  })
  return () => {
    stop()
    for (const timer of timers) clearTimeout(timer)
  }
}

interface Schedule {
  readonly agent: Agent.Agent
  readonly random: Random
  readonly name: string
  readonly violate: (kind: "lost" | "hangs" | "left" | undefined, what: string) => void
  readonly stateMs: Array<number>
}

/** Everything that was begun is ended, and the agent says so itself. */
const checkEnd = async ({ agent, stateMs, violate }: Schedule) => {
  const began = performance.now()
  const state = await agent.request({ type: "get_state" }, waitMs)
  if (state === undefined) return void violate("hangs", "get_state does not answer")
  stateMs.push(performance.now() - began)
  const data = Agent.isFrame(state["data"]) ? state["data"] : {}
  for (const name of ["isStreaming", "isCompacting", "isRetrying", "isBashRunning"])
    if (data[name] !== false) violate("lost", `${name} is ${JSON.stringify(data[name])} at the end`)
  if (data["isSettled"] !== true || data["queuedMessageCount"] !== 0) violate("lost", "not settled at the end")
  const fibers = await agent.request({ type: "get_fibers" }, waitMs)
  const kinds = [...JSON.stringify(fibers?.["data"] ?? "").matchAll(/"kind":"(\w+)"/g)].map(([, kind]) => kind)
  if (kinds.some((kind) => kind !== "session" && kind !== "command"))
    violate("left", `runs at the end: ${kinds.join()}`)
}

const settle = async (agent: Agent.Agent, accounts: ReturnType<typeof Accounts.make>) => {
  const ends = performance.now() + waitMs
  const isOpen = () => accounts.unanswered().length > 0 || accounts.openPrompts() > 0
  while (isOpen() && !agent.hasEnded() && performance.now() < ends) await agent.next(() => true, 50)
  return accounts.unanswered()
}

/** False when the process is of no more use. */
const play = async (schedule: Schedule): Promise<boolean> => {
  const { agent, name, random, violate } = schedule
  const lost = (what: string) => violate("lost", what)
  const [grammar, accounts, known] = [Grammar.make(lost), Accounts.make(lost), Actions.make()]
  const stops = [
    agent.watch(grammar.take),
    agent.watch(accounts.take),
    agent.watch(follow(known)),
    serveTools(agent, random.fork("host"))
  ]
  const send = (frame: Agent.Frame, at: number | string) => {
    const whole = { id: `${name}-${at}`, ...frame }
    accounts.sending(whole, grammar.runId())
    known.requestId = whole.id
    return agent.send(whole)
  }
  const tools = agent.next((frame) => frame["id"] === `${name}-tools`, waitMs)
  await send({ type: "set_host_tools", tools: [Actions.hostTool] }, "tools")
  if ((await tools)?.["success"] !== true) violate("lost", `the host tool is refused: ${JSON.stringify(await tools)}`)
  const count = 3 + random.int(13)
  for (let at = 0; at < count; at++) {
    await send(Actions.action(random, `${name} text ${at}`, known), at)
    const rest = random.int(10)
    if (rest < 3) await agent.next(() => true, 20)
    else if (rest < 5) await pause(random.int(25))
  }
  // Half of them go on undisturbed for a while: a hanging model or tool is ended by the abort.
  if (random.chance(0.5)) await agent.next((frame) => frame["type"] === "session_settled", 150)
  await send({ type: "abort" }, "abort")
  await send({ type: "abort_bash" }, "abort_bash")
  await send({ type: "abort" }, "again")
  const unanswered = await settle(agent, accounts)
  if (agent.hasEnded()) return false
  if (unanswered.length > 0) violate("hangs", `no response in ${waitMs} ms to ${unanswered.join()}`)
  grammar.finish()
  accounts.finish()
  await checkEnd(schedule)
  for (const stop of stops) stop()
  return unanswered.length === 0
}

/** Plays schedules until `to`, or until the process has to be replaced; answers the next one. */
const stretch = async (context: Context, seen: Map<string, number>, from: number, to: number): Promise<number> => {
  const { figures, random } = context
  const own = random.fork("process", from)
  const place = Heddle.makePlace()
  const tag = randomUUID()
  place.write("work/notes.txt", "first\nsecond\n")
  const settings = [
    "retry.baseDelayMs=5",
    "compaction.keepRecentTokens=40",
    `compaction.thresholdTokens=${own.pick([-1, 600])}`
  ]
  const args = [
    ...Heddle.script(place, Actions.scenario(own)),
    ...settings.flatMap((setting) => ["--set", setting]),
    "--rpc-updates",
    own.pick(["delta", "full"])
  ]
  const agent = await Heddle.open(place, {
    args: own.chance(0.5) ? [...args, "--no-session"] : args,
    env: { HEDDLE_TORTURE: tag }
  })
  if (agent === undefined) throw new Error("heddle does not start")
  let at = from
  agent.watch((frame) => {
    const what = frame["type"] === "response" ? `${frame["command"]}:${frame["success"]}` : `${frame["type"]}`
    seen.set(what, (seen.get(what) ?? 0) + 1)
  })
  for (let goesOn = true; goesOn && at < to && context.goesOn(); at++) {
    const name = `s${at}`
    // Turns are counted for the process, so a schedule is repeated with those before it.
    const again = `${from}-${at}`
    goesOn = await play({
      agent,
      random: random.fork(name),
      name,
      violate: (kind, what) => context.violate(kind, `${name}: ${what}`, again),
      stateMs: figures.stateMs
    })
    figures.cases++
    if (agent.hasEnded()) context.violate("deaths", `${name}: the process ended: ${agent.stderr().slice(-300)}`, again)
  }
  figures.peakMb = Math.max(figures.peakMb, agent.peakOverIdle())
  if (!agent.hasEnded()) {
    const exit = await Agent.close(agent)
    if (exit === undefined) context.violate("hangs", "does not end when its input does", `${from}-${at - 1}`)
    else if (exit.code !== 0)
      context.violate("deaths", `exit ${exit.code ?? exit.signal}: ${agent.stderr().slice(-300)}`, `${from}-${at - 1}`)
  }
  const left = holding(tag)
  if (left.length > 0) context.violate("left", `${left.length} processes are left`, `${from}-${at - 1}`)
  place.remove()
  return at
}

const run = async (context: Context) => {
  const { bounds, figures, only } = context
  const seen = new Map<string, number>()
  const [first = 0, last = bounds.cases - 1] = only?.split("-").map(Number) ?? []
  for (let at = first; at <= last && context.goesOn();)
    at = await stretch(context, seen, at, Math.min(last + 1, at + schedulesOfAProcess))
  const count = (what: string) => seen.get(what) ?? 0
  figures.notes.push(
    `${count("agent_start")} runs, ${count("prompt_result")} prompt results, ${count("tool_execution_end")} tool calls, ` +
      `${count("abort:true") + count("abort_and_prompt:true")} aborts, ${count("queue_update")} changes of the queue, ` +
      `${count("compact:true")} compactions, ${count("cancel:true")} cancelled nodes, ${count("new_session:true")} new sessions`
  )
}

export const part: Part = {
  summary: "random schedules of commands against the rules of the protocol",
  bounds: {
    short: { cases: 12, seconds: 3 },
    standard: { cases: 300, seconds: 60 },
    full: { cases: 2000, seconds: 3600 }
  },
  run
}
