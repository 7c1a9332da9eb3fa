/** Drives the real process through hostile cases: what came of the prompt, what it cost, and whether the next one works. */
import { readFileSync, writeFileSync } from "node:fs"
import type { Frame, HostProcess } from "../host/HostProcess.ts"
import type { HostileCase } from "./HostileCase.ts"

export type ProviderId = "hostile-anthropic" | "hostile-openai" | "hostile-responses"

export interface Outcome {
  readonly status: unknown
  readonly message: string
  readonly results: number
  /** How the next prompt to a good model ended. */
  readonly next: unknown
  /** The most memory at any time during the case, in MB; 0 where the system does not tell. */
  readonly peakMb: number
  readonly ms: number
}

const statusOf = (pid: number | undefined, field: string): number => {
  try {
    const found = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))
    return Math.round(Number(found?.[1] ?? 0) / 1024)
  } catch {
    return 0
  }
}

export const residentMb = ({ child }: HostProcess) => statusOf(child.pid, "VmRSS")

/** The peak since the last call. */
const peakMb = ({ child }: HostProcess) => statusOf(child.pid, "VmHWM")
const resetPeak = ({ child }: HostProcess) => {
  try {
    writeFileSync(`/proc/${child.pid}/clear_refs`, "5")
  } catch {
    // Not Linux: there is no figure then.
  }
}

const isResult = (id: string) => (frame: Frame) => frame["type"] === "prompt_result" && frame["id"] === id
const isAnswer = (id: string) => (frame: Frame) => frame["type"] === "response" && frame["id"] === id

const errorOf = (frame: Frame): string => {
  const { error } = frame
  return typeof error === "object" && error !== null && "message" in error ? String(error.message) : ""
}

let last = 0

/** Both prompts in a session of their own. */
export const attack = async (host: HostProcess, provider: ProviderId, one: HostileCase): Promise<Outcome> => {
  const id = `${one.name}-${last++}`
  const select = (modelId: string, step: string): object => ({
    type: "set_model",
    id: `${id}-${step}`,
    provider,
    modelId
  })
  const prompt = (step: string): object => ({ type: "prompt", id: `${id}-${step}`, message: "Go on." })
  host.send({ type: "new_session", id: `${id}-session` }, select(one.name, "bad-model"))
  await host.until(isAnswer(`${id}-bad-model`))
  resetPeak(host)
  const started = performance.now()
  host.send(prompt("bad"))
  if (one.ends === "abort") {
    await host.until(isAnswer(`${id}-bad`))
    host.send({ type: "abort", id: `${id}-abort` })
  }
  const result = await host.until(isResult(`${id}-bad`))
  const ms = Math.round(performance.now() - started)
  host.send(select("good", "good-model"), prompt("good"))
  const next = await host.until(isResult(`${id}-good`))
  return {
    status: result["status"],
    message: errorOf(result),
    results: host.frames().filter(isResult(`${id}-bad`)).length,
    next: next["status"],
    peakMb: peakMb(host),
    ms
  }
}

const expected: Readonly<Record<HostileCase["ends"], ReadonlyArray<unknown>>> = {
  error: ["error"],
  answer: ["completed"],
  either: ["error", "completed"],
  abort: ["aborted"]
}

/** What is wrong with an outcome, in words; nothing if it is as it should be. */
export const faults = (one: HostileCase, outcome: Outcome, mostMb: number): ReadonlyArray<string> => [
  ...(expected[one.ends].includes(outcome.status) ? [] : [`ended with ${outcome.status}: ${outcome.message}`]),
  ...(outcome.results === 1 ? [] : [`${outcome.results} results`]),
  ...(outcome.next === "completed" ? [] : [`the next prompt ended with ${outcome.next}`]),
  ...(outcome.peakMb <= mostMb ? [] : [`${outcome.peakMb} MB of memory`])
]
