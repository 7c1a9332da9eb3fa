/** Another agent of the family, started by its command in a home that has a model on 127.0.0.1 in the files of heddle, pi and omp. */
import * as Agent from "../../support/torture/Agent.ts"
import * as Heddle from "../../support/torture/Heddle.ts"

export type Api = "openai-completions" | "anthropic-messages"

export const key = "sk-target-0123456789abcdef"

const model = {
  id: "mock-model",
  name: "Mock",
  reasoning: false,
  input: ["text"],
  contextWindow: 200_000,
  maxTokens: 8000,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
}

/** The model is named `mock/mock-model`. */
export const models = (baseUrl: string, api: Api = "openai-completions") => ({
  providers: { mock: { baseUrl, api, apiKey: key, models: [model] } }
})

/** The caller removes it. */
export const makePlace = (baseUrl: string, api?: Api) => {
  const place = Heddle.makePlace()
  place.write("work/notes.txt", "first line\n")
  for (const file of [".heddle/agent/models.json", ".pi/agent/models.json", ".omp/agent/models.yml"])
    place.write(`home/${file}`, models(baseUrl, api))
  return place
}

/** Undefined if it does not answer. */
export const start = async (target: string, place: Heddle.Place): Promise<Agent.Agent | undefined> => {
  const { HEDDLE_AGENT_DIR: _, ...env } = Heddle.environment(place)
  const agent = Agent.start({
    command: ["bash", "-c", `exec ${target}`],
    cwd: place.work,
    env: { ...env, PI_OFFLINE: "1", TERM: "dumb", NO_COLOR: "1" }
  })
  if ((await agent.request({ type: "get_state" })) === undefined) {
    agent.kill("SIGKILL")
    return undefined
  }
  agent.idleMb()
  return agent
}

export const end = async (agent: Agent.Agent | undefined, place: Heddle.Place) => {
  agent?.kill("SIGKILL")
  await agent?.exited
  place.remove()
}

/** Every agent of the family sends this one at the end of a run. */
export const isEnd = (frame: Agent.Frame) => frame["type"] === "agent_end"
