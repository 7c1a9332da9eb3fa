/** The lines of the part wire for another agent, with the commands that pi and omp have in common. */
import * as Agent from "../../support/torture/Agent.ts"
import * as LocalModel from "../../support/torture/LocalModel.ts"
import type { Context } from "../../support/torture/Part.ts"
import { commands, common } from "../wire/Frames.ts"
import { giants } from "../wire/Giants.ts"
import * as Lines from "../wire/Lines.ts"
import * as Peer from "./Peer.ts"

const batchSize = 100
const waitMs = 10_000
const mostDeaths = 20

interface Seen {
  deaths: Array<string>
  hangs: number
  unanswered: Map<string, number>
  commands: number
}

const expects = (
  line: Lines.Line
): line is Lines.Line & { readonly owed: { readonly kind: "response"; readonly type: string; readonly id: string } } =>
  line.owed.kind === "response" &&
  typeof line.owed.id === "string" &&
  line.owed.id.startsWith("w") &&
  common.includes(line.owed.type)

/** The line of stderr that names the error. */
const lastWords = (agent: Agent.Agent) => {
  const lines = agent.stderr().trim().split("\n")
  return (lines.findLast((line) => /Error\b.*:/.test(line)) ?? lines.at(-1) ?? "").trim().slice(0, 200)
}

/** True while the process is of use. */
const batch = async (agent: Agent.Agent, lines: ReadonlyArray<Lines.Line>, from: number, seen: Seen) => {
  const open = new Map(lines.filter(expects).map(({ owed }) => [owed.id, owed.type]))
  seen.commands += open.size
  const stop = agent.watch((frame) => {
    if (frame["type"] === "response") open.delete(`${frame["id"] ?? frame["requestId"]}`)
  })
  for (const { bytes } of lines) await agent.write(Buffer.concat([bytes, Buffer.from("\n")]))
  void agent.send({ type: "abort" })
  const state = await agent.request({ type: "get_state" }, waitMs)
  if (open.size > 0 && !agent.hasEnded()) await agent.next(() => open.size === 0, 1000)
  stop()
  if (agent.hasEnded()) {
    const { code, signal } = await agent.exited
    seen.deaths.push(`lines ${from} to ${from + lines.length}: exit ${code ?? signal}, ${lastWords(agent)}`)
    return false
  }
  if (state === undefined) seen.hangs++
  else for (const type of open.values()) seen.unanswered.set(type, (seen.unanswered.get(type) ?? 0) + 1)
  return state !== undefined
}

const fuzz = async (context: Context, target: string, origin: string) => {
  const seen: Seen = { deaths: [], hangs: 0, unanswered: new Map(), commands: 0 }
  let sent = 0
  while (sent < context.bounds.cases && context.goesOn() && seen.deaths.length + seen.hangs < mostDeaths) {
    const place = Peer.makePlace(`${origin}/v1`)
    const agent = await Peer.start(target, place)
    if (agent === undefined) throw new Error(`${target} does not answer get_state`)
    for (let isUsable = true; isUsable && sent < context.bounds.cases && context.goesOn(); sent += batchSize) {
      const lines = Array.from({ length: batchSize }, (_, at) =>
        Lines.line(context.random, { ids: [] }, sent + at, false, common)
      )
      isUsable = await batch(agent, lines, sent, seen)
    }
    context.figures.peakMb = Math.max(context.figures.peakMb, agent.hasEnded() ? 0 : agent.peakOverIdle())
    if (agent.hasEnded() === false) await Agent.close(agent, 5000)
    place.remove()
  }
  const { figures } = context
  figures.cases = sent
  figures.deaths = seen.deaths.length
  figures.hangs = seen.hangs
  figures.lost = [...seen.unanswered.values()].reduce((sum, count) => sum + count, 0)
  for (const death of seen.deaths) figures.notes.push(`ended: ${death}`)
  figures.notes.push(
    `${figures.lost} of ${seen.commands} commands had no response: ${[...seen.unanswered].map(([type, count]) => `${type} ${count}`).join(", ")}`
  )
}

const tryGiants = async ({ figures, goesOn, only }: Context, target: string, origin: string) => {
  for (const [name, { args, play }] of Object.entries(giants)) {
    if (args !== undefined || !goesOn() || (only !== undefined && only !== name)) continue
    const place = Peer.makePlace(`${origin}/v1`)
    const agent = await Peer.start(target, place)
    const wrong = agent === undefined ? "does not start" : await play(agent)
    const answers =
      agent !== undefined && !agent.hasEnded() && (await agent.request({ type: "get_state" }, waitMs)) !== undefined
    const end =
      agent?.hasEnded() === true
        ? `ended with ${JSON.stringify(await agent.exited)}`
        : answers
          ? "lives"
          : "get_state does not answer"
    const peak = agent === undefined || agent.hasEnded() ? "" : `, ${agent.peakOverIdle().toFixed(0)} MB over idle`
    figures.notes.push(`${name}: ${end}${peak}${wrong === undefined ? "" : `; ${wrong}`}`)
    await Peer.end(agent, place)
  }
}

export const run = async (context: Context, target: string) => {
  const server = LocalModel.model([])
  if (context.only === undefined || context.only === "fuzz") await fuzz(context, target, server.origin)
  await tryGiants(context, target, server.origin)
  context.figures.notes.push(
    `frames of ${common.length} commands that pi and omp have in common, of ${commands.length}`
  )
  server.stop()
}
