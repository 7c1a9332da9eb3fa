/** Two hosts of one process, each with an instance of an extension: what it keeps, stores and hears is of its own session. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Predicate } from "effect"
import * as AgentLive from "../../../src/layers/AgentLive.ts"
import { SessionRegistry } from "../../../src/services/session/SessionRegistry.ts"
import { Sessions } from "../../../src/services/session/Sessions.ts"
import { SessionStore } from "../../../src/services/session/SessionStore.ts"
import { type Frame, connect, idsIn, settled } from "../../support/host/WireHost.ts"
import { tempFolder } from "../tools/TempFolder.ts"

/** It counts its commands and the runs that it hears of, and stores both, with the session in which it believes to be. */
const extension = `
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
export default (pi) => {
  let marks = 0
  let runs = 0
  pi.on("agent_start", () => void runs++)
  pi.registerCommand("mark", {
    description: "Stores a mark",
    handler: async (text, ctx) => {
      marks++
      await later(2)
      pi.appendEntry("mark", { text, marks, runs, session: ctx.sessionManager.getSessionId() })
    }
  })
}
`

const marksOf = (frames: ReadonlyArray<Frame>) =>
  frames.flatMap(({ entry, sessionId, type }) =>
    type === "entry_appended" && Predicate.isReadonlyRecord(entry) ? [{ sessionId, data: entry["data"] }] : []
  )

it.scopedLive("each keeps its own, though both are called at once, and a change of one leaves the other", () =>
  Effect.gen(function* () {
    const folder = yield* tempFolder
    const path = join(folder, "marks.ts")
    writeFileSync(path, extension)
    const context = yield* Layer.build(
      AgentLive.layer({
        agentDir: join(folder, "agent"),
        cwd: folder,
        extensionPaths: [path],
        overrides: {},
        provider: "offline",
        model: "guide",
        models: [],
        session: { inMemory: true }
      })
    )
    const { host, ids } = Context.get(context, SessionRegistry)
    const other = yield* host(Context.get(context, SessionStore).create({}))
    const serve = (sessions: typeof Sessions.Service) => Effect.provide(connect(sessions), context)
    const [one, two] = [yield* serve(Context.get(context, Sessions)), yield* serve(other)]
    const [first, second] = yield* ids
    const mark = (at: typeof one, id: string, text: string) =>
      Effect.zipRight(
        at.ask(id, { type: "prompt", message: `/mark ${text}` }),
        at.until((frame) => JSON.stringify(marksOf([frame])).includes(`"text":"${text}"`))
      )

    // A run of the first only: the instance of the second hears nothing of it.
    yield* one.ask("run", { type: "prompt", message: "Hello" })
    yield* one.until(settled)
    yield* Effect.all([mark(one, "a", "a"), mark(two, "b", "b")], { concurrency: 2 })
    yield* mark(one, "c", "c")
    assert.deepStrictEqual(marksOf(one.frames), [
      { sessionId: first, data: { text: "a", marks: 1, runs: 1, session: first } },
      { sessionId: first, data: { text: "c", marks: 2, runs: 1, session: first } }
    ])
    const ofTwo = [{ sessionId: second, data: { text: "b", marks: 1, runs: 0, session: second } }]
    assert.deepStrictEqual(marksOf(two.frames), ofTwo)

    // A new session has a new instance; that of the other goes on.
    yield* one.ask("new", { type: "new_session" })
    const third = (yield* ids).find((id) => id !== second)
    yield* mark(one, "d", "d")
    yield* mark(two, "e", "e")
    assert.deepStrictEqual(marksOf(one.frames).slice(2), [
      { sessionId: third, data: { text: "d", marks: 1, runs: 0, session: third } }
    ])
    assert.deepStrictEqual(marksOf(two.frames), [
      ...ofTwo,
      { sessionId: second, data: { text: "e", marks: 2, runs: 0, session: second } }
    ])
    assert.deepStrictEqual(idsIn(two.records()), [second])
  })
)
