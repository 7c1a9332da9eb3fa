/**
 * Fuzz of the input. The agent must live, answer every command once with its id, write nothing but frames that fit its
 * schema, stay small, and end with 0 when its input ends.
 */
import * as Agent from "../../support/torture/Agent.ts"
import * as Heddle from "../../support/torture/Heddle.ts"
import type { Context, Part } from "../../support/torture/Part.ts"
import type { Random } from "../../support/torture/Random.ts"
import type { Seen } from "./Frames.ts"
import { type Giant, giants } from "./Giants.ts"
import * as Ledger from "./Ledger.ts"
import * as Lines from "./Lines.ts"
import * as Shapes from "./Shapes.ts"

const batchSize = 400
const linesOfAProcess = 20_000
export const memoryMb = 300

const startsOf = (random: Random): ReadonlyArray<string> => [
  ...(random.chance(0.5) ? ["--no-session"] : []),
  ...(random.chance(0.5) ? ["--rpc-updates", "delta"] : [])
]

/** The nodes of `get_fibers`: cancelling a part of a command must not take its answer away. */
const nodesOf = (nodes: unknown): ReadonlyArray<Agent.Frame> =>
  Array.isArray(nodes) ? nodes.filter(Agent.isFrame).flatMap((node) => [node, ...nodesOf(node["children"])]) : []

/** Remembers ids that the agent sends, so that later frames can name them. */
const learn = (seen: Seen) => (frame: Agent.Frame) => {
  const data = Agent.isFrame(frame["data"]) ? frame["data"] : {}
  const sources = [frame, data, ...nodesOf(data["fibers"])]
  for (const source of sources)
    for (const name of ["messageId", "runId", "sessionId", "entryId", "leafId", "sessionFile", "id"]) {
      const id = source[name]
      if (typeof id === "string" && id.length < 200)
        seen.ids[seen.ids.length < 200 ? seen.ids.length : id.length % 200] = id
    }
}

const settled = async (agent: Agent.Agent, ledger: ReturnType<typeof Ledger.make>) => {
  const ends = performance.now() + Agent.patience
  while (!ledger.isSettled() && !agent.hasEnded() && performance.now() < ends)
    await agent.next((frame) => frame["type"] === "response", 100)
}

interface Stretch {
  readonly context: Context
  readonly random: Random
  readonly name: string
  readonly lines: number
}

/** One batch; false when there is no point in going on with this process. */
const batch = async (
  agent: Agent.Agent,
  { context, name, random }: Stretch,
  seen: Seen,
  from: number,
  count: number
) => {
  const fail = (kind: "deaths" | "lost" | "hangs" | undefined, what: string) => context.violate(kind, what, name)
  const ledger = Ledger.make((what) => fail("lost", what))
  const stop = agent.watch(ledger.take)
  // Never the first line of the process, where a byte order mark would count for nothing: get_state went before.
  const lines = Array.from({ length: count }, (_, at) => Lines.line(random, seen, from + at, false))
  for (const { owed } of lines) ledger.owe(owed)
  for (const chunk of Lines.chunks(lines, random)) await agent.write(chunk)
  await agent.send({ type: "abort" })
  ledger.owe({ kind: "response", type: "abort", id: undefined, either: false })
  await settled(agent, ledger)
  stop()
  const left = ledger.settle()
  if (agent.hasEnded()) {
    fail("deaths", `the process ended in the lines ${from} to ${from + count}: ${agent.stderr().slice(-300)}`)
    return false
  }
  if (left.missing.length > 0 || left.parses !== 0)
    fail(
      "lost",
      `lines ${from} to ${from + count}: no response to ${JSON.stringify(left.missing).slice(0, 300)}, parse failures missing: ${left.parses}`
    )
  const began = performance.now()
  const state = await agent.request({ type: "get_state" })
  context.figures.stateMs.push(performance.now() - began)
  if (state === undefined) fail("hangs", "get_state does not answer")
  return state !== undefined
}

const closing = async (agent: Agent.Agent, context: Context, name: string, ownMb = 0) => {
  const peak = agent.peakOverIdle()
  context.figures.peakMb = Math.max(context.figures.peakMb, peak)
  if (peak > memoryMb + ownMb) context.violate(undefined, `${name}: ${peak.toFixed(0)} MB over idle`, name)
  for (const line of agent.impure.slice(0, 3)) context.violate("lost", `not a frame on stdout: ${line}`, name)
  if (agent.hasEnded()) return
  const exit = await Agent.close(agent)
  if (exit === undefined) context.violate("hangs", `${name}: does not end when its input does`, name)
  else if (exit.code !== 0)
    context.violate("deaths", `${name}: exit ${exit.code ?? exit.signal}: ${agent.stderr().slice(-300)}`, name)
}

const stretch = async (what: Stretch) => {
  const { context, lines, name, random } = what
  const place = Heddle.makePlace()
  place.write("work/notes.txt", "first line\nsecond line\n".repeat(300))
  const agent = await Heddle.open(place, { args: startsOf(random) })
  if (agent === undefined) context.violate("deaths", "does not start", name)
  else {
    const seen: Seen = { ids: [] }
    agent.watch(learn(seen))
    agent.watch(Shapes.checker((wrong) => context.violate("lost", wrong, name)))
    for (let from = 0; from < lines && context.goesOn(); from += batchSize) {
      const count = Math.min(batchSize, lines - from)
      if (!(await batch(agent, what, seen, from, count))) break
      context.figures.cases += count
    }
    if (!agent.hasEnded() && random.chance(0.5)) await agent.write('{"type":"get_sta')
    await closing(agent, context, name)
  }
  place.remove()
}

const giant = async (context: Context, name: string, { args, ownMb, play }: Giant) => {
  const place = Heddle.makePlace()
  const agent = await Heddle.open(place, { args: ["--no-session", ...(args?.(place) ?? [])] })
  if (agent === undefined) context.violate("deaths", "does not start", name)
  else {
    const wrong = await play(agent)
    context.figures.cases++
    if (agent.hasEnded()) {
      const { code, signal } = await agent.exited
      context.violate("deaths", `${name}: the process ended with ${code ?? signal}`, name)
    } else {
      if (wrong !== undefined) context.violate("hangs", `${name}: ${wrong}`, name)
      const began = performance.now()
      if ((await agent.request({ type: "get_state" })) === undefined)
        context.violate("hangs", `${name}: get_state does not answer`, name)
      context.figures.stateMs.push(performance.now() - began)
    }
    await closing(agent, context, name, ownMb)
  }
  place.remove()
}

const run = async (context: Context) => {
  const { bounds, figures, only, random } = context
  for (const [name, each] of Object.entries(giants)) {
    if (only === undefined ? bounds.cases < 10_000 : only !== name) continue
    await giant(context, name, each)
  }
  for (let at = 0, sent = 0; sent < bounds.cases && context.goesOn(); at++) {
    const name = `fuzz-${at}`
    const lines = Math.min(linesOfAProcess, bounds.cases - sent)
    sent += lines
    if (only === undefined || only === name) await stretch({ context, random: random.fork(name), name, lines })
  }
  figures.notes.push(`${Object.keys(giants).length} giants`)
}

export const part: Part = {
  summary: "fuzzed lines, and lines as large, deep or many as possible",
  bounds: {
    short: { cases: 3000, seconds: 3 },
    standard: { cases: 60_000, seconds: 60 },
    full: { cases: 1_000_000, seconds: 3600 }
  },
  run
}
