/** Model servers that do what no server should, in all three APIs. The cases are those of test/support/hostile. */
import { Effect } from "effect"
import * as HostProcess from "../../support/host/HostProcess.ts"
import { attack, faults, type ProviderId, residentMb } from "../../support/hostile/Attack.ts"
import type { HostileCase } from "../../support/hostile/HostileCase.ts"
import { cases } from "../../support/hostile/HostileCases.ts"
import * as HostileProvider from "../../support/hostile/HostileProvider.ts"
import { within } from "../../support/torture/Agent.ts"
import * as Heddle from "../../support/torture/Heddle.ts"
import type { Context, Part } from "../../support/torture/Part.ts"

const memoryMb = 300
const caseMs = 60_000
/** An answer that takes longer, on a busy machine, waits for a loop that is blocked. */
const slowMs = 5000
const providers: ReadonlyArray<ProviderId> = ["hostile-anthropic", "hostile-openai", "hostile-responses"]

let probes = 0

/** Asks for the state again and again until the attack is over. */
const probe = (host: HostProcess.HostProcess, times: Array<number>) => {
  let isOver = false
  const ask = async () => {
    while (!isOver) {
      const began = performance.now()
      const id = `probe-${probes++}`
      host.send({ id, type: "get_state" })
      const answer = await within(
        host.until(HostProcess.answer(id)).catch(() => undefined),
        caseMs
      )
      if (answer !== undefined) times.push(performance.now() - began)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  const asking = ask()
  return () => {
    isOver = true
    return asking
  }
}

interface Chosen {
  readonly provider: ProviderId
  readonly one: HostileCase
}

/** Attacks until the process has to be replaced; answers how many it has had. */
const stretch = (context: Context, chosen: ReadonlyArray<Chosen>, bytes: number) =>
  Effect.gen(function* () {
    const server = yield* HostileProvider.make({ bytes })
    const place = Heddle.makePlace()
    place.write("home/.heddle/agent/models.json", server.modelsFile)
    const host = yield* HostProcess.open({
      env: { HOME: place.home, HEDDLE_AGENT_DIR: place.agentDir },
      args: [
        "--no-session",
        "--provider",
        "hostile-openai",
        "--model",
        "good",
        "--set",
        "retry.enabled=false",
        "--rpc-updates",
        "delta"
      ]
    })
    yield* Effect.promise(() => host.until(HostProcess.type("startup")))
    const idle = residentMb(host)
    const run = async (): Promise<number> => {
      for (const [at, { one, provider }] of chosen.entries()) {
        if (!context.goesOn()) return chosen.length
        const name = `${provider}:${one.name}`
        const times: Array<number> = []
        const stop = probe(host, times)
        const outcome = await within(
          attack(host, provider, one).catch(() => "ended" as const),
          caseMs
        )
        context.figures.cases++
        await within(stop(), caseMs)
        context.figures.stateMs.push(...times)
        const slowest = Math.max(0, ...times)
        if (slowest > slowMs) context.violate("hangs", `${name}: get_state took ${slowest.toFixed(0)} ms`, name)
        if (outcome === undefined || outcome === "ended") {
          const isDead = outcome === "ended"
          context.violate(
            isDead ? "deaths" : "hangs",
            `${name}: ${isDead ? `the process ended: ${host.stderr().slice(-200)}` : `no end in ${caseMs} ms`}`,
            name
          )
          return at + 1
        }
        context.figures.peakMb = Math.max(context.figures.peakMb, outcome.peakMb - idle)
        for (const fault of faults(one, outcome, idle + memoryMb)) context.violate("lost", `${name}: ${fault}`, name)
        if (server.trapped.length > 0) {
          const hasKey = JSON.stringify(server.trapped).includes(HostileProvider.key)
          context.violate("lost", `${name}: another origin was called${hasKey ? ", with the key" : ""}`, name)
          return at + 1
        }
      }
      return chosen.length
    }
    const done = yield* Effect.promise(run)
    if (host.lines.some((line) => line.includes(HostileProvider.key)))
      context.violate("lost", "the key is in the output")
    place.remove()
    return done
  }).pipe(Effect.scoped)

const run = async (context: Context) => {
  const { bounds, only, random } = context
  const all = providers.flatMap((provider) => cases.map((one) => ({ provider, one })))
  const order = all.map((each) => ({ each, at: random.int(1_000_000) })).toSorted((a, b) => a.at - b.at)
  let left =
    only === undefined
      ? order.map(({ each }) => each).slice(0, bounds.cases)
      : all.filter(({ one, provider }) => `${provider}:${one.name}` === only)
  const bytes = bounds.cases < 50 ? 2_000_000 : bounds.cases < 10_000 ? 100_000_000 : 1_000_000_000
  while (left.length > 0 && context.goesOn()) left = left.slice(await Effect.runPromise(stretch(context, left, bytes)))
  context.figures.notes.push(
    `${cases.length} cases, ${providers.length} APIs, endless ones send up to ${bytes / 1e6} MB`
  )
}

export const part: Part = {
  summary: "model servers that do what no server should",
  bounds: {
    short: { cases: 8, seconds: 3 },
    standard: { cases: 1000, seconds: 90 },
    full: { cases: 10_000, seconds: 3600 }
  },
  run
}
