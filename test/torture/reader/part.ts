/** A host that stops reading: the agent waits without growing, still ends when it is told to, and loses nothing when the host reads again. */
import { randomUUID } from "node:crypto"
import * as Agent from "../../support/torture/Agent.ts"
import * as Heddle from "../../support/torture/Heddle.ts"
import type { Context, Part } from "../../support/torture/Part.ts"
import * as Proc from "../../support/torture/Proc.ts"

const memoryMb = 300
const deltas = 20_000

/** What goes on while nobody reads. */
interface Load {
  readonly scenario: object
  readonly start: (agent: Agent.Agent) => Promise<void>
  /** Answers what is missing when everything has been read. */
  readonly check: (frames: ReadonlyArray<Agent.Frame>) => string | undefined
  readonly isComplete: (frame: Agent.Frame) => boolean
}

const prompt = (agent: Agent.Agent) => agent.send({ id: "p", type: "prompt", message: "go" })
const isResult = (frame: Agent.Frame) => frame["type"] === "prompt_result"
const bash = (command: string) => ({
  atEnd: "repeat",
  turns: [{ steps: [{ toolCall: { name: "bash", arguments: { command } } }] }, { steps: [{ text: "done" }] }]
})

const countDeltas = (frames: ReadonlyArray<Agent.Frame>) =>
  frames.filter(
    (frame) => Agent.isFrame(frame["assistantMessageEvent"]) && frame["assistantMessageEvent"]["type"] === "text_delta"
  ).length

const floods = 20_000

const loads: Readonly<Record<string, Load>> = {
  stream: {
    scenario: { atEnd: "repeat", turns: [{ steps: [{ text: "word ", repeat: deltas }] }] },
    start: prompt,
    isComplete: isResult,
    check: (frames) => (countDeltas(frames) === deltas ? undefined : `${countDeltas(frames)} of ${deltas} deltas`)
  },
  tool: {
    scenario: bash("head -c 50000000 /dev/zero | tr '\\0' x; echo; echo end"),
    start: prompt,
    isComplete: isResult,
    check: (frames) =>
      frames.some((frame) => frame["type"] === "tool_execution_end") ? undefined : "no end of the tool call"
  },
  bash: {
    scenario: bash("true"),
    start: (agent) => agent.send({ id: "b", type: "bash", command: "seq 1 3000000" }),
    isComplete: (frame) => frame["id"] === "b" && frame["type"] === "response",
    check: (frames) => {
      const bytes = frames
        .filter((frame) => frame["type"] === "bash_execution_update")
        .reduce((sum, frame) => sum + `${frame["delta"]}`.length, 0)
      return bytes === 22_888_896 ? undefined : `${bytes} bytes of output`
    }
  },
  commands: {
    scenario: bash("true"),
    // Not awaited: the agent stops reading, so the pipe is full before all is written.
    start: async (agent) =>
      void agent.write(Array.from({ length: floods }, (_, id) => `{"id":${id},"type":"get_state"}\n`).join("")),
    isComplete: (frame) => frame["id"] === floods - 1,
    check: (frames) => {
      const ids = frames.flatMap((frame) =>
        frame["type"] === "response" && typeof frame["id"] === "number" ? [frame["id"]] : []
      )
      return ids.length === floods && new Set(ids).size === floods ? undefined : `${ids.length} of ${floods} responses`
    }
  }
}

type Ending = (
  agent: Agent.Agent,
  load: Load,
  frames: ReadonlyArray<Agent.Frame>,
  pid: number
) => Promise<string | undefined>

/** Asks for the process itself: the programs that hold its pipes end only when their bytes are read. */
const endsWithin = async (agent: Agent.Agent, pid: number, ms: number, code: number) => {
  const deadline = performance.now() + ms
  while (Proc.isAlive(pid) && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5))
  if (Proc.isAlive(pid)) return `does not end within ${ms} ms`
  agent.resume()
  agent.closeInput()
  const exit = await Agent.within(agent.exited, 5000)
  if (exit === undefined) return "its pipes stay open"
  return exit.code === code ? undefined : `ends with ${exit.code ?? exit.signal} in place of ${code}`
}

/** What the host does after its pause. Deadlines are those of docs/hosts/starting.md and a busy machine. */
const endings: Readonly<Record<string, Ending>> = {
  "reads-again": async (agent, load, frames) => {
    const complete = agent.next(load.isComplete, 60_000)
    agent.resume()
    if ((await complete) === undefined) return "does not go on"
    const state = await agent.request({ type: "get_state" })
    if (state === undefined) return "get_state does not answer"
    return (
      load.check(frames) ??
      (await Agent.close(agent).then((exit) => (exit?.code === 0 ? undefined : "does not end with 0")))
    )
  },
  closes: (agent, _, __, pid) => {
    agent.closeInput()
    agent.closeOutput()
    return endsWithin(agent, pid, 6000, 0)
  },
  "closes-input": (agent, _, __, pid) => {
    agent.closeInput()
    return endsWithin(agent, pid, 6000, 0)
  },
  terminates: (agent, _, __, pid) => {
    process.kill(pid, "SIGTERM")
    return endsWithin(agent, pid, 4000, 143)
  }
}

/** Long enough for every buffer on the way to be full: the pipe holds 64 KiB, the outbox a thousand events. */
const fill = async (pid: number) => {
  let last = -1
  for (let now = Proc.rssMb(pid), turns = 0; turns < 12 && (turns < 6 || Math.abs(now - last) > 1); turns++) {
    last = now
    await new Promise((resolve) => setTimeout(resolve, 100))
    now = Proc.rssMb(pid)
  }
}

const attempt = async (context: Context, name: string, load: Load, ending: Ending, pipes: boolean) => {
  const place = Heddle.makePlace()
  const tag = randomUUID()
  const fail = (kind: "deaths" | "hangs" | "left" | undefined, what: string) =>
    context.violate(kind, `${name}: ${what}`, name)
  const agent = await Heddle.open(place, {
    args: [...Heddle.script(place, load.scenario), "--rpc-updates", "delta"],
    env: { HEDDLE_TORTURE: tag },
    pipes
  })
  if (agent === undefined) throw new Error("heddle does not start")
  const pid = pipes
    ? (Proc.descendants(agent.pid).find((child) => Proc.commandLine(child).includes("heddle.js")) ?? 0)
    : agent.pid
  const idle = Proc.rssMb(pid)
  const frames: Array<Agent.Frame> = []
  agent.watch((frame) => void frames.push(frame))
  agent.pause()
  await load.start(agent)
  await fill(pid)
  const peak = Math.max(0, Proc.peakMb(pid) - idle)
  if (agent.hasEnded()) fail("deaths", "ended while nobody read")
  const wrong = await ending(agent, load, frames, pid)
  if (wrong !== undefined) fail("hangs", wrong)
  if (Proc.isAlive(pid)) process.kill(pid, "SIGKILL")
  agent.resume()
  await Agent.within(agent.exited, 5000)
  context.figures.peakMb = Math.max(context.figures.peakMb, peak)
  if (peak > memoryMb) fail(undefined, `${peak.toFixed(0)} MB over idle`)
  const left = Proc.holding(tag)
  if (left.length > 0)
    fail("left", `${left.length} processes are left: ${left.map(Proc.commandLine).join("; ").slice(0, 200)}`)
  for (const child of left) process.kill(child, "SIGKILL")
  context.figures.cases++
  place.remove()
}

const run = async (context: Context) => {
  const { bounds, only, random } = context
  const all = ["pipe", "socket"].flatMap((kind) =>
    Object.entries(loads).flatMap(([loadName, load]) =>
      Object.entries(endings)
        // Commands that nobody has taken from the pipe stand before its end.
        .filter(([endName]) => loadName !== "commands" || endName !== "closes-input")
        .map(([endName, ending]) => ({ name: `${kind}:${loadName}:${endName}`, load, ending, pipes: kind === "pipe" }))
    )
  )
  const order = all.map((each) => ({ each, at: random.int(1_000_000) })).toSorted((a, b) => a.at - b.at)
  const chosen =
    only === undefined ? order.map(({ each }) => each).slice(0, bounds.cases) : all.filter(({ name }) => name === only)
  for (const { ending, load, name, pipes } of chosen)
    if (context.goesOn()) await attempt(context, name, load, ending, pipes)
}

export const part: Part = {
  summary: "a host that stops reading",
  bounds: {
    short: { cases: 1, seconds: 3 },
    standard: { cases: 32, seconds: 90 },
    full: { cases: 32, seconds: 3600 }
  },
  run
}
