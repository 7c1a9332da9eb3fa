/** Every prepared project, for every documented way to start. Nothing of the project may run, get a request, or hold heddle up. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as Agent from "../../support/torture/Agent.ts"
import * as Heddle from "../../support/torture/Heddle.ts"
import * as LocalModel from "../../support/torture/LocalModel.ts"
import type { Context, Part } from "../../support/torture/Part.ts"
import { type Folder, folders } from "./Folders.ts"
import { type Way, ways } from "./Ways.ts"

const secret = "sk-torture-0123456789abcdef"
const promptMs = 20_000
const memoryMb = 300

/** The model lists, searches and runs a command: tools meet what lies in the folder, too. */
const calls: ReadonlyArray<LocalModel.Call> = [
  { name: "bash", arguments: { command: "echo from bash" } },
  { name: "ls", arguments: { path: "." } },
  { name: "grep", arguments: { pattern: "no such text", path: "." } },
  { name: "find", arguments: { pattern: "*.md", path: "." } }
]

const environmentOf = (place: Heddle.Place, user: Folder["user"], origin: string) => {
  const { HEDDLE_AGENT_DIR: _, ...env } = Heddle.environment(place)
  return user === "openai"
    ? { ...env, OPENAI_API_KEY: secret, OPENAI_BASE_URL: `${origin}/v1` }
    : { ...env, ANTHROPIC_API_KEY: secret, ANTHROPIC_BASE_URL: origin }
}

const hasSession = (folder: string) => [...new Bun.Glob("**/*.jsonl").scanSync({ cwd: folder, dot: true })].length > 0

interface Found {
  readonly fail: (kind: "deaths" | "lost" | "hangs" | "left" | undefined, what: string) => void
  readonly agent: Agent.Agent
  readonly good: LocalModel.Server
  readonly folder: Folder
}

const promptOnce = async ({ agent, fail, folder, good }: Found) => {
  const ended = agent.next((frame) => frame["type"] === "prompt_result", promptMs)
  void agent.send({ id: "p", type: "prompt", message: "look around" })
  const result = await ended
  if (agent.hasEnded()) return fail("deaths", `the process ended: ${agent.stderr().slice(-300)}`)
  if (result === undefined) return fail("hangs", `no prompt_result in ${promptMs} ms`)
  if (good.requests.length === 0) fail("lost", "the user's model was not asked")
  const wanted = folder.fails === true ? "error" : "completed"
  if (result["status"] !== wanted)
    fail("lost", `the prompt ended as ${result["status"]}: ${JSON.stringify(result["error"])}`)
}

const attempt = async (context: Context, name: string, folder: Folder, way: Way) => {
  const place = Heddle.makePlace()
  const [good, trap] = [LocalModel.model(calls, folder.fails === true), LocalModel.trap()]
  const canary = join(place.root, "canary")
  const fail: Found["fail"] = (kind, what) => context.violate(kind, `${name}: ${what}`, name)
  folder.make({
    place,
    trace: `echo ran >> '${canary}'`,
    traceJs: `require("node:fs").appendFileSync(${JSON.stringify(canary)}, "ran\\n")`,
    trap: trap.origin
  })
  const agent = Agent.start({
    command: [...way.command(place), "--mode", "rpc"],
    cwd: way.cwd ?? place.work,
    env: environmentOf(place, folder.user, good.origin)
  })
  let leaked = ""
  agent.watch((frame) => {
    const text = JSON.stringify(frame)
    if (text.includes(secret)) leaked = text
  })
  const ready = await agent.request({ type: "get_state" }, promptMs)
  agent.idleMb()
  if (ready === undefined) fail(agent.hasEnded() ? "deaths" : "hangs", `does not start: ${agent.stderr().slice(-300)}`)
  else await promptOnce({ agent, fail, folder, good })
  const peak = agent.peakOverIdle()
  context.figures.peakMb = Math.max(context.figures.peakMb, peak)
  if (peak > memoryMb) fail(undefined, `${peak.toFixed(0)} MB over idle`)
  if (!agent.hasEnded() && (await Agent.close(agent))?.code !== 0) fail("deaths", "does not end with 0")
  const isWarned = folder.preload === true && way.preloads === true && agent.stderr().includes("bunfig.toml")
  if (folder.preload === true && way.preloads === true && !isWarned) fail("lost", "no warning of bunfig.toml on stderr")
  if (existsSync(canary) && !isWarned) fail("lost", "code of the project has run")
  if (trap.requests.length > 0)
    fail(
      "lost",
      `the project's server was called${JSON.stringify(trap.requests).includes(secret) ? ", with the key" : ""}`
    )
  if (leaked !== "" || agent.stderr().includes(secret))
    fail("lost", `the key is in the output: ${leaked.slice(0, 200)}`)
  if (hasSession(place.work)) fail("lost", "the session is in the project")
  context.figures.cases++
  good.stop()
  trap.stop()
  place.remove()
}

const run = async (context: Context) => {
  const { bounds, only, random } = context
  const all = Object.entries(ways).flatMap(([wayName, way]) =>
    Object.entries(folders)
      .filter(([, folder]) => folder.replaces !== true || way.preloads !== true)
      .map(([folderName, folder]) => ({ name: `${wayName}:${folderName}`, folder, way }))
  )
  const order = all.map((each) => ({ each, at: random.int(1_000_000) })).toSorted((a, b) => a.at - b.at)
  const chosen =
    only === undefined ? order.map(({ each }) => each).slice(0, bounds.cases) : all.filter(({ name }) => name === only)
  for (const { folder, name, way } of chosen) if (context.goesOn()) await attempt(context, name, folder, way)
  context.figures.notes.push(`${Object.keys(folders).length} folders, ${Object.keys(ways).length} ways to start`)
}

export const part: Part = {
  summary: "prepared projects, for every documented way to start",
  bounds: {
    short: { cases: 4, seconds: 3 },
    standard: { cases: 200, seconds: 150 },
    full: { cases: 1000, seconds: 3600 }
  },
  run
}
