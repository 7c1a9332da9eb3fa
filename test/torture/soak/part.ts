/** One process that works for a long time: nothing it holds may grow with what it has done. */
import { randomUUID } from "node:crypto"
import { readdirSync } from "node:fs"
import * as Agent from "../../support/torture/Agent.ts"
import * as Heddle from "../../support/torture/Heddle.ts"
import type { Context, Part } from "../../support/torture/Part.ts"
import * as Proc from "../../support/torture/Proc.ts"
import type { Random } from "../../support/torture/Random.ts"

interface Sample {
  readonly seconds: number
  readonly mb: number
  readonly descriptors: number
  readonly threads: number
  readonly children: number
  readonly zombies: number
  readonly temporary: number
}

const call = (name: string, input: object) => ({ toolCall: { name, arguments: input } })
const turns = [
  {
    steps: [{ thinking: "hm" }, { text: "word ", repeat: 300 }, call("bash", { command: "seq 1 2000" })],
    usage: { input: 900, output: 300 }
  },
  {
    steps: [
      call("read", { path: "notes.txt" }),
      call("grep", { pattern: "line", path: "." }),
      call("write", { path: "out.txt", content: "x".repeat(5000) })
    ]
  },
  {
    steps: [
      call("edit", { path: "out.txt", oldText: "xxxxx", newText: "xxxxx" }),
      call("bash", { command: "(sleep 0.5 > /dev/null 2>&1 &); head -c 300000 /dev/zero | tr '\\0' y" })
    ]
  },
  { steps: [{ fail: { reason: "overloaded", message: "busy", httpStatus: 529 } }] },
  { steps: [{ text: "an answer ", repeat: 50 }], usage: { input: 4000, output: 200 } }
]
const summary = { steps: [{ text: "a summary of what was said" }], usage: { input: 100, output: 10 } }

const look = (agent: Agent.Agent, place: Heddle.Place, seconds: number): Sample => {
  const children = Proc.children(agent.pid)
  return {
    seconds,
    mb: Proc.rssMb(agent.pid),
    descriptors: Proc.descriptors(agent.pid),
    threads: Proc.threads(agent.pid),
    children: children.filter((pid) => !Proc.isZombie(pid)).length,
    zombies: children.filter(Proc.isZombie).length,
    temporary: readdirSync(place.temp, { recursive: true }).length
  }
}

const prompt = async (agent: Agent.Agent, id: string, abortAfter: number | undefined) => {
  const ended = agent.next((frame) => frame["type"] === "prompt_result" && frame["id"] === id)
  void agent.send({ id, type: "prompt", message: `${id}: ${"some words of a person ".repeat(20)}` })
  if (abortAfter !== undefined) {
    await new Promise((resolve) => setTimeout(resolve, abortAfter))
    await agent.request({ type: "abort" })
  }
  return (await ended) !== undefined
}

/** One round of everything; the name of what did not answer. */
const round = async (agent: Agent.Agent, random: Random, at: number): Promise<string | undefined> => {
  for (let turn = 0; turn < 3; turn++)
    if (!(await prompt(agent, `r${at}-${turn}`, random.chance(0.2) ? random.int(30) : undefined))) return "prompt"
  const others: ReadonlyArray<Agent.Frame> = [
    { type: "get_messages" },
    { type: "get_fibers" },
    { type: "bash", command: "seq 1 1000" },
    { type: "set_host_tools", tools: [{ name: `t${at % 5}`, description: "x", parameters: { type: "object" } }] },
    { type: "follow_up", message: "later" },
    { type: "clear_queue" },
    ...(at % 5 === 0 ? [{ type: "compact" }] : []),
    ...(at % 20 === 0 ? [{ type: "export_html", outputPath: "out.html" }, { type: "list_sessions" }] : []),
    ...(at % 10 === 0 ? [{ type: at % 20 === 0 ? "clone" : "new_session" }] : [])
  ]
  for (const frame of others) if ((await agent.request(frame)) === undefined) return `${frame["type"]}`
  return undefined
}

/** MB per hour, by least squares. */
const slope = (samples: ReadonlyArray<Sample>) => {
  const mean = (of: (sample: Sample) => number) => samples.reduce((sum, each) => sum + of(each), 0) / samples.length
  const [x, y] = [mean(({ seconds }) => seconds), mean(({ mb }) => mb)]
  const over = samples.reduce((sum, { mb, seconds }) => sum + (seconds - x) * (mb - y), 0)
  const under = samples.reduce((sum, { seconds }) => sum + (seconds - x) ** 2, 0)
  return under === 0 ? 0 : (over / under) * 3600
}

const middle = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Compares the second quarter with the last one: by then caches are warm, and what still grows is a leak. */
const growth = (samples: ReadonlyArray<Sample>, of: (sample: Sample) => number) => {
  const quarter = Math.floor(samples.length / 4)
  return middle(samples.slice(-quarter).map(of)) - middle(samples.slice(quarter, 2 * quarter).map(of))
}

/** Most that may be more at the end than after the first quarter. */
const allowed: Readonly<Record<"mb" | "descriptors" | "threads" | "children" | "temporary", number>> = {
  mb: 60,
  descriptors: 3,
  threads: 4,
  children: 1,
  temporary: 5
}

const judge = (context: Context, samples: ReadonlyArray<Sample>) => {
  const later = samples.slice(Math.floor(samples.length / 4))
  const [last] = samples.slice(-1)
  if (last === undefined) return
  context.figures.notes.push(
    `memory ${slope(later).toFixed(0)} MB per hour (from ${later[0]?.mb.toFixed(0)} to ${last.mb.toFixed(0)} MB), ` +
      `descriptors ${later[0]?.descriptors} to ${last.descriptors}, threads ${later[0]?.threads} to ${last.threads}, ` +
      `zombies at most ${Math.max(...samples.map(({ zombies }) => zombies))}, temporary files ${last.temporary}`
  )
  for (const [name, most] of Object.entries(allowed)) {
    const by = growth(samples, (sample) => Object.entries(sample).find(([key]) => key === name)?.[1] ?? 0)
    if (samples.length >= 12 && by > most)
      context.violate(name === "children" ? "left" : undefined, `${name} grew by ${by.toFixed(0)}`)
  }
}

/** heddle reaps orphans once a second, so some are there at every moment; none may stay. */
const unreaped = async (agent: Agent.Agent) => {
  const before = Proc.children(agent.pid).filter(Proc.isZombie)
  const stays = (pid: number) => before.includes(pid) && Proc.isZombie(pid)
  for (let waited = 0; waited < 50; waited++) {
    if (!Proc.children(agent.pid).some(stays)) return 0
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return Proc.children(agent.pid).filter(stays).length
}

const run = async (context: Context) => {
  const { bounds, figures, random } = context
  const place = Heddle.makePlace()
  const tag = randomUUID()
  place.write("work/notes.txt", "a line of notes\n".repeat(500))
  const scenario = { atEnd: "repeat", turns: [...turns, summary, summary] }
  // Turns are counted over all calls: an automatic compaction in every run could take just those that end a run.
  const settings = ["retry.baseDelayMs=5", "compaction.keepRecentTokens=500", "compaction.enabled=false"]
  const agent = await Heddle.open(place, {
    args: [...Heddle.script(place, scenario), ...settings.flatMap((each) => ["--set", each])],
    env: { HEDDLE_TORTURE: tag }
  })
  if (agent === undefined) throw new Error("heddle does not start")
  const samples: Array<Sample> = []
  const began = performance.now()
  const gap = Math.min(5, bounds.seconds / 40)
  for (let at = 1; context.goesOn() && figures.cases < bounds.cases; at++) {
    const silent = await round(agent, random, at)
    figures.cases++
    if (agent.hasEnded()) context.violate("deaths", `the process ended: ${agent.stderr().slice(-300)}`)
    else if (silent !== undefined) context.violate("hangs", `${silent} has no answer`)
    if (agent.hasEnded() || silent !== undefined) break
    const asked = performance.now()
    await agent.request({ type: "get_state" })
    figures.stateMs.push(performance.now() - asked)
    const seconds = (performance.now() - began) / 1000
    if (seconds - (samples.at(-1)?.seconds ?? -gap) >= gap) samples.push(look(agent, place, seconds))
  }
  figures.peakMb = agent.peakOverIdle()
  judge(context, samples)
  const zombies = agent.hasEnded() ? 0 : await unreaped(agent)
  if (zombies > 0) context.violate("left", `${zombies} zombies stay`)
  if (!agent.hasEnded() && (await Agent.close(agent))?.code !== 0) context.violate("deaths", "does not end with 0")
  const left = Proc.holding(tag)
  if (left.length > 0)
    context.violate("left", `${left.length} processes are left: ${left.map(Proc.commandLine).join("; ")}`)
  place.remove()
}

export const part: Part = {
  summary: "one process that works for a long time",
  bounds: {
    short: { cases: 5, seconds: 2 },
    standard: { cases: Number.POSITIVE_INFINITY, seconds: 45 },
    full: { cases: Number.POSITIVE_INFINITY, seconds: 600 }
  },
  run
}
