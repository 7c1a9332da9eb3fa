/** Turns that each run `true` in bash, with and without what may stand before and around a command. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Place } from "./Targets.ts"
import type * as Host from "./Host.ts"

const turns = 40

/** The options of each way to start. */
export const ways: Record<string, ReadonlyArray<string>> = {
  "nothing is judged": [],
  "a rule allows it": ["--approvals", "ask", "--allow", "bash(true)"],
  "in the sandbox": ["--sandbox", "workspace-write"],
  both: ["--approvals", "auto"]
}

/** Returns the options for a scenario that calls bash again and again. */
export const options = ({ work }: Place): ReadonlyArray<string> => {
  const file = join(work, "calls.json")
  const call = { steps: [{ toolCall: { name: "bash", arguments: { command: "true" } } }] }
  const steps = [...Array.from({ length: turns }, () => call), { steps: [{ text: "Done." }] }]
  writeFileSync(file, JSON.stringify({ turns: steps, atEnd: "repeat" }))
  return ["--no-session", "--model", "offline/script", "--set", `offline.scenario=${file}`]
}

const isResult = ({ type }: Host.Frame) => type === "prompt_result"

/** Milliseconds a turn, of the second prompt: the first one loads code. */
export const measure = async ({ request, waitFor }: Host.Host): Promise<number> => {
  const prompt = async () => {
    const began = performance.now()
    const result = waitFor("the end of the prompt", isResult)
    await request({ type: "prompt", message: "Go on." })
    const { status } = await result
    if (status !== "completed") throw new Error(`the prompt ended with ${String(status)}`)
    return (performance.now() - began) / turns
  }
  await prompt()
  return prompt()
}
