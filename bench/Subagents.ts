/** What a subagent costs: time over a plain prompt, memory of many at once, and how fast the host is answered meanwhile. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type * as Host from "./Host.ts"
import * as Proc from "./Proc.ts"
import { cli, type Place } from "./Targets.ts"

const call = (name: string, args: object) => ({ toolCall: { name, arguments: args } })
const delegate = (ids: ReadonlyArray<string>) =>
  call("task", {
    agent: "task",
    tasks: ids.map((id) => ({ id, description: `about ${id}`, assignment: "Do it" }))
  })

const launch = (place: Place, name: string, scenario: object) => {
  const file = join(place.work, `${name}.json`)
  writeFileSync(file, JSON.stringify(scenario))
  return cli(place, "--model", "offline/script", "--set", `offline.scenario=${file}`)
}

/** One turn, then a call of `task` whose subagent hands in its result at once, again and again. */
export const spawning = (place: Place) =>
  launch(place, "spawning", {
    turns: [
      { steps: [{ text: "Hello." }] },
      { steps: [delegate(["One"])] },
      { steps: [call("submit_result", { result: "done" })] },
      { steps: [{ text: "Thanks." }] }
    ],
    atEnd: "repeat"
  })

const many = 32
/** As many subagents as may run at once, each of which waits for its model. */
export const waiting = (place: Place) =>
  launch(place, "waiting", {
    turns: [
      { steps: [delegate(Array.from({ length: many }, (_, at) => `T${at}`))] },
      { steps: [{ text: "Let me see." }, { hang: true }] }
    ],
    atEnd: "stay"
  })

const is = (type: string) => (frame: Host.Frame) => frame["type"] === type

/** Milliseconds of a plain prompt, and of a call of `task`, in a process that has done both `warmUps` times. */
export const measureSpawn = async ({ request, waitFor }: Host.Host, warmUps: number) => {
  const prompt = async () => {
    const from = performance.now()
    const end = waitFor("session_settled", is("session_settled"))
    await request({ type: "prompt", message: "go" })
    await end
    return performance.now() - from
  }
  const delegated = async () => {
    const begun = waitFor("start of the call", is("tool_execution_start")).then(() => performance.now())
    const ended = waitFor("end of the call", is("tool_execution_end")).then(() => performance.now())
    await prompt()
    return (await ended) - (await begun)
  }
  for (let round = 0; round < warmUps; round++) {
    await prompt()
    await delegated()
  }
  return { plain: await prompt(), task: await delegated() }
}

/** Memory of the process for each subagent, and the times of `get_state` from the start of the first to a second after the last. */
export const measureMany = async ({ pid, request, waitFor }: Host.Host) => {
  const before = Proc.rssMb(pid)
  const answers: Array<number> = []
  let started = 0
  const all = waitFor("start of all", (frame) => is("subagent_start")(frame) && ++started === many)
  await request({ type: "prompt", message: "go" })
  let isAsking = true
  const asking = (async () => {
    while (isAsking) {
      const sent = performance.now()
      await request({ type: "get_state" })
      answers.push(performance.now() - sent)
      await Bun.sleep(1)
    }
  })()
  await all
  await Bun.sleep(1000)
  isAsking = false
  await asking
  const mbEach = (Proc.rssMb(pid) - before) / many
  const from = performance.now()
  await request({ type: "abort" })
  return { mbEach, answers, abortMs: performance.now() - from }
}
