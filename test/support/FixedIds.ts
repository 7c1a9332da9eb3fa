/** Ids that count: run_1, msg_1, msg_2, … */
import { Effect, Layer, Ref } from "effect"
import { Ids } from "../../src/services/Ids.ts"

const prefixes = {
  run: "run_",
  message: "msg_",
  epoch: "ep_",
  compaction: "cmp_",
  session: "session-",
  entry: "entry-",
  hostCall: "host_",
  hostCancel: "host_cancel_"
} as const

const make = Effect.gen(function* () {
  const counters = yield* Ref.make<Readonly<Record<string, number>>>({})
  return Ids.of({
    next: (kind) =>
      Ref.modify(counters, (now) => {
        const n = (now[kind] ?? 0) + 1
        return [`${prefixes[kind]}${n}`, { ...now, [kind]: n }]
      })
  })
})

export const layer = Layer.effect(Ids, make)
