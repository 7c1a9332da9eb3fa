/** Ids of a real process: random, but for nodes of the supervision tree, which are counted. */
import * as Layer from "effect/Layer"
import { Ids } from "../../../services/Ids.ts"
import * as Engine from "./Engine.ts"

const prefixes = {
  run: "run_",
  message: "msg_",
  epoch: "ep_",
  compaction: "cmp_",
  hostCall: "host_",
  hostCancel: "host_cancel_",
  dialog: "ui_",
  approval: "ap_"
} as const

const random = (): string => crypto.randomUUID().replaceAll("-", "")

export const make = () => {
  let fibers = 0
  return Ids.of({
    next: (kind) => {
      if (kind === "session") return Engine.uuidv7()
      if (kind === "fiber") return `fb_${++fibers}`
      return kind === "entry" ? random().slice(0, 8) : `${prefixes[kind]}${random().slice(0, 12)}`
    }
  })
}

export const layer = Layer.sync(Ids, make)
