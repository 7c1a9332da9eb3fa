/** Writes session files of any length, and measures an append. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import type { NewEntry } from "../src/domain/session/SessionEntry.ts"
import * as Usage from "../src/domain/model/Usage.ts"
import * as RandomIds from "../src/layers/machine/engine/RandomIds.ts"
import * as JsonlSessionStore from "../src/layers/storage/sessions/JsonlSessionStore.ts"
import * as CurrentSession from "../src/layers/session/core/CurrentSession.ts"
import * as SessionStart from "../src/layers/storage/sessions/SessionStart.ts"
import { Session } from "../src/services/session/Session.ts"

const usage = Usage.make({ input: 1200, output: 80, cacheRead: 0, cacheWrite: 0 }, Usage.zeroTokens)
const words = "Every word of this answer is here so that a message has the length of a short one. "

const message = (n: number) => {
  const content = [{ type: "text", text: `${n}: ${words.repeat(n % 2 === 0 ? 1 : 4)}` }]
  if (n % 2 === 0) return { role: "user", content, timestamp: n }
  const spoken = { api: "anthropic-messages", provider: "anthropic", model: "claude", usage }
  return { role: "assistant", content, ...spoken, stopReason: "stop", timestamp: n }
}

/** Returns the size of the file in MB. */
export const write = (file: string, cwd: string, messages: number): number => {
  const timestamp = "2026-01-01T00:00:00.000Z"
  const id = (n: number) => (0x10000000 + n).toString(16)
  const lines = [JSON.stringify({ type: "session", version: 3, id: `bench-${messages}`, timestamp, cwd })]
  for (let n = 0; n < messages; n++) {
    const parentId = n === 0 ? null : id(n - 1)
    lines.push(JSON.stringify({ type: "message", id: id(n), parentId, timestamp, message: message(n) }))
  }
  writeFileSync(file, `${lines.join("\n")}\n`)
  return statSync(file).size / 1e6
}

const said: NewEntry = {
  type: "message",
  message: { role: "user", content: [{ type: "text", text: words }], timestamp: 0 }
}

/** Microseconds of one append to an open session with this many messages. */
export const appendCost = async (messages: number, appends: number): Promise<number> => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-append-"))
  const file = join(folder, "x.jsonl")
  write(file, folder, messages)
  const store = JsonlSessionStore.layer({ agentDir: folder, cwd: folder, home: folder })
  const layer = CurrentSession.layer.pipe(
    Layer.provide(CurrentSession.layerLog(SessionStart.openLog({ session: file }))),
    Layer.provide(store),
    Layer.provide(RandomIds.layer)
  )
  const measure = Effect.gen(function* () {
    const session = yield* Session
    // The first append reads the conversation, once.
    yield* Effect.replicateEffect(session.append(said), 100)
    const began = performance.now()
    yield* Effect.replicateEffect(session.append(said), appends)
    return ((performance.now() - began) * 1000) / appends
  })
  try {
    return await Effect.runPromise(Effect.provide(measure, layer))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
