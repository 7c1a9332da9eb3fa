/** kill -9 at every frame that acknowledges something. When the session is opened again, nothing is lost and nothing is there twice. */
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { Effect } from "effect"
import * as KillSweep from "../../support/host/KillSweep.ts"
import * as Agent from "../../support/torture/Agent.ts"
import * as Heddle from "../../support/torture/Heddle.ts"
import type { Context, Part } from "../../support/torture/Part.ts"
import { holding } from "../../support/torture/Proc.ts"
import * as Facts from "./Facts.ts"
import { stories, type Story } from "./Stories.ts"

const storyMs = 20_000

/** Plays the steps, each after the frame that it waits for. Resolves at the end of the story or of the process. */
const tell = async (agent: Agent.Agent, { steps }: Story, facts: Killed["facts"]) => {
  for (const { after, send } of steps) {
    if (after !== undefined && (await agent.next(after, storyMs)) === undefined) return
    for (const frame of send) facts.sending(frame)
    if (send.length > 0) void agent.send(...send)
  }
}

interface Killed {
  /** The acknowledgements that the host has read. */
  readonly count: number
  readonly facts: ReturnType<typeof Facts.make>
}

/** Kills at the `at`-th acknowledgement; the story may be over before. */
const playAndKill = async (agent: Agent.Agent, story: Story, at: number): Promise<Killed> => {
  const facts = Facts.make()
  let count = 0
  agent.watch((frame) => {
    // What arrives with the last frame in one chunk has been written by then, and counts.
    facts.take(frame)
    if (Facts.isAcknowledgement(frame) && count++ === at) agent.kill("SIGKILL")
  })
  await tell(agent, story, facts)
  agent.kill("SIGKILL")
  await agent.exited
  return { count, facts }
}

/** The queue is delivered by the next prompt, and then nothing is there twice either. */
const goOn = async (agent: Agent.Agent, facts: Killed["facts"]) => {
  const look = async () => ({
    messages: await agent.request({ type: "get_messages" }),
    queue: await agent.request({ type: "get_queue" }),
    state: await agent.request({ type: "get_state" }),
    entries: await agent.request({ type: "get_entries" })
  })
  const wrong = facts.check(await look())
  if (wrong.length > 0) return wrong
  const ended = agent.next((frame) => frame["type"] === "prompt_result", storyMs)
  void agent.send({ id: "after", type: "prompt", message: "go on" })
  if ((await ended) === undefined) return ["the next prompt has no end"]
  return facts.check(await look()).map((each) => `after the next prompt: ${each}`)
}

/** The number of acknowledgements before the process ended: not more than `at` when the story was over before. */
const kill = async (context: Context, storyName: string, story: Story, at: number): Promise<number> => {
  const name = `${storyName}:${at}`
  const fail = (kind: "deaths" | "lost" | "left", what: string) => context.violate(kind, `${name}: ${what}`, name)
  const place = Heddle.makePlace()
  const tag = randomUUID()
  place.write("work/notes.txt", "notes\n")
  const settings = (story.settings ?? []).flatMap((setting) => ["--set", setting])
  const options = (turns: ReadonlyArray<object>) => ({
    args: [
      ...Heddle.script(place, { turns, atEnd: "stay" }),
      ...settings,
      "--session",
      join(place.root, "session.jsonl"),
      "--rpc-updates",
      "delta"
    ],
    env: { HEDDLE_TORTURE: tag }
  })
  const first = await Heddle.open(place, options(story.turns))
  if (first === undefined) throw new Error("heddle does not start")
  const { count, facts } = await playAndKill(first, story, at)
  const second = await Heddle.open(place, options([{ steps: [{ text: "gone on" }] }]))
  if (second === undefined) fail("deaths", "the session cannot be opened again")
  else {
    for (const wrong of await goOn(second, facts)) fail("lost", wrong)
    const exit = await Agent.close(second)
    if (exit?.code !== 0) fail("deaths", `exit ${exit?.code ?? exit?.signal ?? "never"}`)
  }
  const left = holding(tag)
  if (left.length > 0) fail("left", `${left.length} processes are left`)
  context.figures.cases++
  place.remove()
  return count
}

/** The script of test/hostile/kill.test.ts, killed after its lines: every one of them, or one in `stride`. */
const sweep = async (context: Context, stride: number, only: string | undefined) => {
  const lines = only === undefined ? await Effect.runPromise(KillSweep.lineCount) : Number(only)
  const first = only === undefined ? 1 + context.random.fork("sweep").int(stride) : lines
  for (let at = first; at <= lines && context.goesOn(); at += stride) {
    const { faults } = await Effect.runPromise(KillSweep.killAt(at))
    for (const fault of faults) context.violate("lost", `sweep:${at}: ${fault}`, `sweep:${at}`)
    context.figures.cases++
  }
  return `sweep ${lines} lines`
}

const run = async (context: Context) => {
  const { bounds, figures, only } = context
  const [onlyStory, onlyAt] = only?.split(":") ?? []
  const stride = Math.max(1, Math.round(150 / bounds.cases))
  const points: Array<string> = []
  for (const [name, story] of Object.entries(stories)) {
    if (onlyStory !== undefined && onlyStory !== name) continue
    let at = onlyAt === undefined ? context.random.fork(name).int(stride) : Number(onlyAt)
    let [count, isOver] = [0, false]
    while (!isOver && context.goesOn()) {
      count = await kill(context, name, story, at)
      isOver = count <= at || onlyAt !== undefined
      at += stride
    }
    points.push(`${name} ${count}`)
  }
  if (onlyStory === undefined || onlyStory === "sweep") points.push(await sweep(context, stride, onlyAt))
  figures.notes.push(`acknowledgements: ${points.join(", ")}; killed at every ${stride === 1 ? "one" : `${stride}th`}`)
}

export const part: Part = {
  summary: "kill -9 at acknowledged events, then the session is opened again",
  bounds: {
    short: { cases: 4, seconds: 2 },
    standard: { cases: 50, seconds: 90 },
    full: { cases: 150, seconds: 3600 }
  },
  run
}
