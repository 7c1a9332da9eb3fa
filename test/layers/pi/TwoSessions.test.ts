/** Two sessions of one process, each with an extension that uses heddle's tools from modules that Bun links once. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Option } from "effect"
import { plainText } from "../../../src/domain/conversation/Content.ts"
import * as AgentLive from "../../../src/layers/Process.ts"
import { SessionFiles } from "../../../src/services/session/SessionFiles.ts"
import { Sessions, type SessionServices } from "../../../src/services/session/Sessions.ts"
import { SessionStore } from "../../../src/services/storage/SessionStore.ts"
import { Startup } from "../../../src/services/session/Startup.ts"
import { ToolSet } from "../../../src/services/Tools.ts"
import { tempFolder } from "../tools/TempFolder.ts"

/** Its tools edit a file with heddle's own edit, at once and after a while, and wait for a file. */
const extension = `
import { createEditTool, withFileMutationQueue } from "@earendil-works/pi-coding-agent"
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
export default (pi) => {
  const parameters = { type: "object", properties: {} }
  const edit = (args) => createEditTool(process.env.HEDDLE_TEST_FOLDER).execute("x", args)
  const tool = (name, execute) => pi.registerTool({ name, label: name, description: name, parameters, execute })
  tool("edit_now", (_, args) => edit(args))
  tool("edit_later", async (_, args) => {
    await later(1)
    return edit(args)
  })
  tool("queued", (_, { path }) => withFileMutationQueue(path, async () => ({ content: [{ type: "text", text: "had the file" }] })))
}
`

const change = (from: string, to: string) => ({ path: "notes.txt", edits: [{ oldText: from, newText: to }] })

const call = (session: Context.Context<SessionServices>, name: string, args: object) =>
  Effect.gen(function* () {
    const tool = Option.getOrThrow(yield* Context.get(session, ToolSet).find(name))
    const { content } = yield* tool.run(
      { ...args },
      { toolCallId: name, progress: () => Effect.void, orInterrupted: () => (work) => work }
    )
    return plainText(content)
  })

it.scopedLive("a file that one has read and lost is not lost for the other", () =>
  Effect.gen(function* () {
    const folder = yield* tempFolder
    const notes = join(folder, "notes.txt")
    writeFileSync(notes, "one\n")
    const path = join(folder, "editor.ts")
    writeFileSync(path, extension.replace("process.env.HEDDLE_TEST_FOLDER", JSON.stringify(folder)))
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
    const { current, open } = Context.get(context, Sessions)
    const here = yield* current
    const beside = yield* open(Context.get(context, SessionStore).create({}))
    for (const session of [here, beside]) yield* Context.get(session, Startup).joined
    assert.notStrictEqual(Context.get(here, SessionFiles).ledger, Context.get(beside, SessionFiles).ledger)

    // Only the first one has read the file before it changed.
    yield* call(here, "read", { path: "notes.txt" })
    writeFileSync(notes, "two\n")
    const refused = yield* Effect.flip(call(here, "edit_now", change("two", "three")))
    assert.include(String(refused), "notes.txt")
    assert.strictEqual(readFileSync(notes, "utf8"), "two\n")
    yield* call(beside, "edit_later", change("two", "three"))
    assert.strictEqual(readFileSync(notes, "utf8"), "three\n")
    const still = yield* Effect.exit(call(here, "edit_later", change("three", "four")))
    assert.isTrue(Exit.isFailure(still))

    // A file that a tool of one session holds keeps only its own extension waiting.
    const held = Context.get(here, SessionFiles).ledger.exclusively(notes)(
      call(beside, "queued", { path: notes }).pipe(Effect.timeout("5 seconds"))
    )
    assert.strictEqual(yield* held, "had the file")
  })
)
