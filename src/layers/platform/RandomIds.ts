/** Ids of a real process. */
import * as Layer from "effect/Layer"
import * as Ids from "../../services/Ids.ts"

const prefixes = {
  run: "run_",
  message: "msg_",
  epoch: "ep_",
  compaction: "cmp_",
  hostCall: "host_",
  hostCancel: "host_cancel_"
} as const

const fresh = (kind: Ids.IdKind): string => {
  if (kind === "session") return Bun.randomUUIDv7()
  const random = crypto.randomUUID().replaceAll("-", "")
  return kind === "entry" ? random.slice(0, 8) : `${prefixes[kind]}${random.slice(0, 12)}`
}

export const service = Ids.Ids.of({ next: fresh })

export const layer = Layer.succeed(Ids.Ids, service)
