/**
 * `bun killedWriter.ts <folder> <reference | ""> <messages> <n>`: writes messages into a session and ends itself by SIGKILL at
 * the n-th point. Says on stdout what was acknowledged, and the name of the point, each at once.
 */
import { writeSync } from "node:fs"
import { Effect, Layer } from "effect"
import type { NewEntry } from "../../../src/domain/session/SessionEntry.ts"
import * as RandomIds from "../../../src/layers/machine/engine/RandomIds.ts"
import { OwnFiles } from "../../../src/layers/machine/files/own/OwnFiles.ts"
import * as JsonlSessionStore from "../../../src/layers/storage/sessions/JsonlSessionStore.ts"
import * as CurrentSession from "../../../src/layers/session/core/CurrentSession.ts"
import * as SessionStart from "../../../src/layers/storage/sessions/SessionStart.ts"
import { Session } from "../../../src/services/session/Session.ts"
import * as FaultyFiles from "./FaultyFiles.ts"

const [folder = "", reference = "", messages = "1", n = "0"] = process.argv.slice(2)
const say = (word: string, rest: string) => writeSync(1, `${word} ${rest}\n`)

let points = 0
const files = FaultyFiles.make((point) =>
  Effect.sync(() => {
    if (++points !== Number(n)) return
    say("killed", point)
    process.kill(process.pid, "SIGKILL")
  })
)

const message = (text: string): NewEntry => ({
  type: "message",
  message: { role: "user", content: [{ type: "text", text }], timestamp: 0 }
})

const program = Effect.gen(function* () {
  const session = yield* Session
  for (let sent = 1; sent <= Number(messages); sent++) {
    yield* session.append({ type: "session_info", name: `name ${sent}` })
    const entry = yield* session.append(message(`${sent} ${"x".repeat(500)}`))
    say("acknowledged", entry.id)
    yield* session.sync
  }
})

const store = JsonlSessionStore.layer({ agentDir: folder, cwd: folder, home: folder, sessionDir: folder })
const opened = SessionStart.openLog(reference === "" ? {} : { session: reference })
const layer = CurrentSession.layer.pipe(
  Layer.provide(CurrentSession.layerLog(opened)),
  Layer.provide(store),
  Layer.provide(Layer.merge(RandomIds.layer, Layer.succeed(OwnFiles, files)))
)
await Effect.runPromise(Effect.provide(program, layer))
say("done", String(points))
