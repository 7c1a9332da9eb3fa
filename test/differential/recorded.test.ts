/** Chunks of commands are answered in the order in which a release answered them. How to record anew stands in run.ts. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as EventLoop from "../../src/layers/machine/engine/EventLoop.ts"
import * as Golden from "../support/host/Golden.ts"
import type { TestHost } from "../support/host/TestHost.ts"
import * as Intended from "./Intended.ts"
import * as Lanes from "./Lanes.ts"
import * as Recorded from "./Recorded.ts"

const recorded = Recorded.read()

/** Turns of the event loop after the last frame, in which the session comes to rest. */
const turns = 20

/** As many frames as there were, and those that come by then; fewer if nothing comes for a while. */
const receive = ({ rest }: TestHost, count: number) =>
  Effect.gen(function* () {
    const all: Array<string> = []
    let left = turns
    for (let last = performance.now(); left > 0 && performance.now() - last < 600;) {
      yield* EventLoop.nextTurn
      const taken = yield* rest
      all.push(...taken)
      if (taken.length > 0) last = performance.now()
      left = all.length < count || taken.length > 0 ? turns : left - 1
    }
    return all
  })

/** Reads what comes before each step of the host. What came early for one step is missing in the next, and fine. */
const reader = (counts: ReadonlyArray<number>) => {
  let [step, owed] = [0, 0]
  return (host: TestHost) => {
    owed += counts[step++] ?? 0
    return Effect.tap(receive(host, owed), (lines) => {
      owed -= lines.length
    })
  }
}

describe("chunks of commands", () => {
  for (const one of Recorded.cases) {
    it.effect(
      one.name,
      Effect.fnUntraced(function* () {
        const { counts, did } = Recorded.find(recorded, one)
        const played = yield* Golden.perform(one.script.join("\n"), reader(counts))
        const difference = Intended.difference(one.name, did, Lanes.of(played))
        assert.isUndefined(difference, difference)
      })
    )
  }

  it("has no intended difference that does not differ", () => {
    const idle = Intended.intended.filter(({ cases, change }) =>
      [...recorded].every(
        ([name, { did }]) =>
          !cases.test(name) || did.every((lanes) => JSON.stringify(change(lanes)) === JSON.stringify(lanes))
      )
    )
    assert.deepStrictEqual(
      idle.map(({ why }) => why),
      []
    )
  })
})
