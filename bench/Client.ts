/**
 * What the client costs its host per delta, over a reader that only splits lines and parses them. Both read the same frames
 * from `cat`, so that heddle's own speed does not count.
 */
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { RpcClient } from "../src/client/index.ts"

export interface Reading {
  readonly ms: number
  /** CPU time of this process. */
  readonly cpu: number
  readonly characters: number
}

const ids = { sessionId: "01a1eec4-b132-74f5-8163-d9f763f38cd7", epoch: "ep_0edb59a4b563" }
const usage = {
  input: 12,
  output: 7,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 19,
  cost: { input: 0, output: 0, total: 0 }
}

/** Deltas as heddle writes them, between the frames that the client waits for. */
export const write = (folder: string, deltas: number): string => {
  const delta = (seq: number) => ({
    type: "message_update",
    assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta: "twenty characters xx" },
    usage,
    messageId: "msg_b86085e2a04b",
    runId: "run_35606ae368e2",
    ...ids,
    seq
  })
  const frames = [
    { type: "ready", ...ids, seq: 1 },
    ...Array.from({ length: deltas }, (_, n) => delta(n + 2)),
    { type: "session_settled", ...ids, seq: deltas + 2 }
  ]
  const file = join(folder, `deltas-${deltas}.jsonl`)
  writeFileSync(file, frames.map((frame) => `${JSON.stringify(frame)}\n`).join(""))
  return file
}

const lengthOf = (frame: { readonly type: string; readonly assistantMessageEvent?: unknown }): number =>
  frame.type === "message_update" ? String(Object(frame.assistantMessageEvent).delta).length : 0

const measure = async (read: () => Promise<number>): Promise<Reading> => {
  const [began, before] = [performance.now(), process.cpuUsage()]
  const characters = await read()
  const { system, user } = process.cpuUsage(before)
  return { ms: performance.now() - began, cpu: (user + system) / 1000, characters }
}

/** The least that any host does: split, parse, look at the delta. */
export const raw = (file: string): Promise<Reading> =>
  measure(
    () =>
      new Promise((resolve) => {
        const child = spawn("cat", [file], { stdio: ["pipe", "pipe", "pipe"] })
        const utf8 = new TextDecoder()
        let [tail, characters] = ["", 0]
        child.stdout.on("data", (chunk: Uint8Array) => {
          const lines = (tail + utf8.decode(chunk, { stream: true })).split("\n")
          tail = lines.pop() ?? ""
          for (const line of lines) characters += lengthOf(JSON.parse(line))
        })
        child.on("close", () => resolve(characters))
      })
  )

/** `sh` takes the options that the client adds as arguments of its script, which ignores them. */
export const client = (file: string): Promise<Reading> =>
  measure(
    () =>
      new Promise((resolve, reject) => {
        const host = new RpcClient({ command: ["sh", "-c", 'exec cat "$0"', file], initialize: false })
        let characters = 0
        host.onEvent((event) => {
          characters += lengthOf(event)
        })
        host.onEnd(() => resolve(characters))
        host.start().catch(reject)
      })
  )
