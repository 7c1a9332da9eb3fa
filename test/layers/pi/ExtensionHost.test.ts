import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Scope, TestClock } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Loaded from "../../support/extensions/Loaded.ts"
import * as TestHost from "../../support/extensions/TestHost.ts"

const { sample } = TestHost
const greeter = sample("greeter.ts")

type Session = Effect.Effect.Success<ReturnType<Effect.Effect.Success<ReturnType<typeof TestHost.make>>["open"]>>

const dataOf = ({ session }: Session) =>
  Effect.map(session.entries, (entries) =>
    entries.flatMap((entry) => (entry.type === "custom" && entry.customType === "greeter" ? [entry.data] : []))
  )
const namesOf = (list: ReadonlyArray<{ readonly name: string }>) => list.map(({ name }) => name)

const withFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "heddle-reload-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

describe("loading", () => {
  it.scoped("takes TypeScript and CommonJS, in order, and tells the start after all factories", () =>
    Effect.gen(function* () {
      const { host, open } = yield* TestHost.make([greeter, sample("second.cjs")])
      assert.strictEqual((yield* host.claimedFlags).size, 0)
      const opened = yield* open({ reason: "startup" })
      assert.deepStrictEqual(opened.hooks.registrations(), [greeter, sample("second.cjs")])
      assert.deepStrictEqual([namesOf(opened.tools), namesOf(opened.commands)], [["greet"], ["greet"]])
      assert.deepStrictEqual(opened.notes, [["notify", { message: "second startup", level: "info" }]])
      assert.deepStrictEqual([...(yield* host.claimedFlags)], [["loud", { type: "boolean", default: false }]])
      assert.deepStrictEqual(opened.hooks.reports, [])
    })
  )

  it.scoped("reports what cannot be loaded, takes back what it registered, and goes on with the others", () =>
    Effect.gen(function* () {
      const bad = ["no-factory.ts", "throws-at-import.ts", "throws-in-factory.ts", "absent.ts"].map(sample)
      const { open } = yield* TestHost.make([...bad, greeter])
      const { hooks, tools } = yield* open({ reason: "startup" })
      assert.deepStrictEqual(hooks.registrations(), [greeter])
      assert.deepStrictEqual(namesOf(tools), ["greet"])
      assert.deepStrictEqual(hooks.reports.slice(0, 3), [
        {
          name: sample("no-factory.ts"),
          event: "load",
          message: "The extension must export a function as its default."
        },
        {
          name: sample("throws-at-import.ts"),
          event: "load",
          message: "broken module",
          location: `${sample("throws-at-import.ts")}:1:11`
        },
        {
          name: sample("throws-in-factory.ts"),
          event: "load",
          message: "broken factory",
          location: `${sample("throws-in-factory.ts")}:8:13`
        }
      ])
      assert.match(hooks.reports[3]?.message ?? "", /absent/)
      assert.strictEqual(hooks.reports.length, 4)
    })
  )

  it.scoped("gives a factory half a minute", () =>
    Effect.gen(function* () {
      const { open } = yield* TestHost.make([sample("hangs.ts"), greeter])
      const opening = yield* Effect.fork(open({ reason: "startup" }))
      // The import is a promise of the engine, on which the test clock has no influence.
      yield* Effect.promise(() => import(sample("hangs.ts")))
      yield* Effect.repeatN(
        Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
        5
      )
      yield* TestClock.adjust("30 seconds")
      const { hooks } = yield* Fiber.join(opening)
      assert.deepStrictEqual(hooks.registrations(), [greeter])
      assert.deepStrictEqual(hooks.reports, [
        { name: sample("hangs.ts"), event: "load", message: "The extension did not finish loading in 30 seconds." }
      ])
    })
  )

  it.scoped("says where a file cannot be read as code", () =>
    Effect.gen(function* () {
      const folder = yield* withFolder
      const path = join(folder, "entry.ts")
      writeFileSync(path, "export default (\nconst = 5\nlet")
      const { open } = yield* TestHost.make([path])
      const { hooks } = yield* open({ reason: "startup" })
      assert.deepStrictEqual(
        hooks.reports.map(({ event, name }) => [name, event]),
        [[path, "load"]]
      )
      assert.match(hooks.reports[0]?.message ?? "", /const|Unexpected|Expected/)
    })
  )
})

describe("sessions", () => {
  it.scoped("each gets a run of the factory, and the end and the start of both are told", () =>
    Effect.gen(function* () {
      const { host, open } = yield* TestHost.make([greeter])
      const first = yield* open({ reason: "startup" })
      yield* first.leave
      assert.deepStrictEqual([first.hooks.registrations(), first.tools, first.commands], [[], [], []])
      const second = yield* open({ reason: "resume", previousSessionFile: "/a.jsonl" })
      const [started, ended] = yield* dataOf(first)
      const count = started !== null && typeof started === "object" && "factories" in started ? started.factories : 0
      assert.deepStrictEqual(
        [started, ended],
        [
          { factories: count, event: { type: "session_start", reason: "startup" } },
          { factories: count, event: { type: "session_shutdown", reason: "new" } }
        ]
      )
      assert.deepStrictEqual(yield* dataOf(second), [
        {
          factories: Number(count) + 1,
          event: { type: "session_start", reason: "resume", previousSessionFile: "/a.jsonl" }
        }
      ])
      assert.strictEqual((yield* host.claimedFlags).size, 1)
    })
  )

  it.scoped("a command finds its extension in the session that it opened", () =>
    Effect.gen(function* () {
      const folder = yield* withFolder
      const path = join(folder, "changer.ts")
      const withSession = `async (ctx) => { ctx.ui.notify("in " + ctx.sessionManager.getSessionId()) }`
      const handler = `async (args, ctx) => { await ctx.newSession({ withSession: ${withSession} }) }`
      writeFileSync(path, `export default (pi) => pi.registerCommand("next", { handler: ${handler} })`)
      const { open } = yield* TestHost.make([path])
      // A session in the test's own scope: it is opened by the change, and stays.
      const scope = yield* Effect.scope
      const opened: Array<Session> = []
      const create = Effect.gen(function* () {
        yield* first.close
        opened.push(yield* Scope.extend(open({ reason: "new" }), scope))
        return { cancelled: false }
      })
      const first: Session = yield* open(
        { reason: "startup" },
        { ports: ({ changes }) => ({ changes: { ...changes, create: () => create } }) }
      )
      const [command] = first.commands
      if (command?.action._tag !== "Run") return yield* Effect.dieMessage("no command")
      yield* command.action.run("")
      const [second] = opened
      if (second === undefined) return yield* Effect.dieMessage("no second session")
      const { sessionId } = yield* second.session.info
      assert.deepStrictEqual(second.notes, [["notify", { message: `in ${sessionId}`, level: "info" }]])
    })
  )
})

describe("reload", () => {
  it.scoped("runs every file of the extension again, with its end and its start", () =>
    Effect.gen(function* () {
      const folder = yield* withFolder
      const entry = join(folder, "entry.ts")
      const write = (version: number) => {
        writeFileSync(join(folder, "part.ts"), `export const version = ${version}`)
        writeFileSync(
          entry,
          `import { version } from "./part.ts"
          export default (pi) => {
            pi.registerTool({ name: "v" + version, execute: () => undefined })
            for (const name of ["session_start", "session_shutdown"])
              pi.on(name, (event, ctx) => ctx.ui.notify([version, event.type, event.reason].join(" ")))
          }`
        )
      }
      write(1)
      const { host, open } = yield* TestHost.make([entry])
      const { hooks, notes, tools } = yield* open({ reason: "startup" })
      assert.deepStrictEqual(namesOf(tools), ["v1"])
      write(2)
      yield* host.reload
      assert.deepStrictEqual([namesOf(tools), hooks.registrations(), hooks.reports], [["v2"], [entry], []])
      const told = (message: string) => ["notify", { message, level: "info" }]
      assert.deepStrictEqual(notes, [
        told("1 session_start startup"),
        told("1 session_shutdown reload"),
        told("2 session_start reload")
      ])
    })
  )

  it.scoped("of a command loads its own session again, and that of the host all that are open", () =>
    Effect.gen(function* () {
      const folder = yield* withFolder
      const entry = join(folder, "entry.ts")
      const write = (version: number) =>
        writeFileSync(
          entry,
          `export default (pi) => {
            const parameters = { type: "object", properties: {} }
            pi.registerTool({ name: "v${version}", label: "v", description: "v", parameters, execute: async () => ({ content: [] }) })
            pi.registerCommand("again", { handler: (_args, ctx) => ctx.reload() })
          }`
        )
      write(1)
      const { host, open } = yield* TestHost.make([entry])
      const [one, two] = [yield* open({ reason: "startup" }), yield* open({ reason: "new" })]
      write(2)
      const [command] = one.commands
      if (command?.action._tag === "Run") yield* Effect.orDie(command.action.run(""))
      assert.deepStrictEqual([namesOf(one.tools), namesOf(two.tools)], [["v2"], ["v1"]])
      write(3)
      yield* host.reload
      assert.deepStrictEqual([namesOf(one.tools), namesOf(two.tools)], [["v3"], ["v3"]])
      yield* two.close
      write(4)
      yield* host.reload
      assert.deepStrictEqual([namesOf(one.tools), [...(yield* host.claimedFlags)]], [["v4"], []])
      assert.deepStrictEqual([...one.hooks.reports, ...two.hooks.reports], [])
    })
  )

  it.scoped("a file that was broken may be mended, and handlers that fail or hang do not stop it", () =>
    Effect.gen(function* () {
      const folder = yield* withFolder
      const entry = join(folder, "entry.ts")
      writeFileSync(entry, "export default 5")
      const { host, open } = yield* TestHost.make([entry])
      const { hooks } = yield* open({ reason: "startup" })
      assert.strictEqual(hooks.reports.length, 1)
      writeFileSync(
        entry,
        `export default (pi) => {
          pi.on("session_shutdown", () => { throw new Error("no end") })
          pi.on("session_shutdown", () => new Promise(() => {}))
          pi.on("session_start", async () => { throw new Error("no start") })
        }`
      )
      yield* host.reload
      const again = yield* Effect.fork(host.reload)
      yield* Effect.repeatN(Effect.yieldNow(), 20)
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(again)
      assert.deepStrictEqual(
        hooks.reports.slice(1).map(({ event, location, message }) => [event, message, location]),
        [
          ["session_start", "no start", `${entry}:4:58`],
          ["session_shutdown", "no end", `${entry}:2:55`],
          ["session_shutdown", "took longer than 2 seconds", undefined],
          ["session_start", "no start", `${entry}:4:58`]
        ]
      )
    })
  )

  it.scoped("looks for extensions again, makes the old objects stale, and does nothing without a session", () =>
    Effect.gen(function* () {
      let found = [greeter]
      const find = Effect.sync(() => found.map(Loaded.extension))
      const { host, open } = yield* TestHost.make([], { find })
      yield* host.reload
      const { hooks, tools } = yield* open({ reason: "startup" })
      const [tool] = tools
      found = [sample("second.cjs")]
      yield* host.reload
      assert.deepStrictEqual([hooks.registrations(), tools], [[sample("second.cjs")], []])
      const late = yield* tool?.execute({}, { toolCallId: "c", progress: () => Effect.void }) ?? Effect.void
      assert.deepStrictEqual(late, { content: "Hello" })
    })
  )
})
