/** Ids that count: run_1, msg_1, msg_2, … */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ids from "../services/Ids.ts"

const prefixes = {
  run: "run_",
  message: "msg_",
  epoch: "ep_",
  compaction: "cmp_",
  session: "session-",
  entry: "entry-",
  hostCall: "host_",
  hostCancel: "host_cancel_",
  dialog: "ui_",
  approval: "ap_",
  fiber: "fb_"
} as const

export const make = Effect.sync(() => {
  const counters = new Map<Ids.IdKind, number>()
  return Ids.Ids.of({
    next: (kind) => {
      const n = (counters.get(kind) ?? 0) + 1
      counters.set(kind, n)
      return `${prefixes[kind]}${n}`
    }
  })
})

export const layer = Layer.effect(Ids.Ids, make)
