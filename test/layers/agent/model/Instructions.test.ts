import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option, TestClock } from "effect"
import * as PromptEntry from "../../../../src/domain/session/PromptEntry.ts"
import type { NewEntry, SessionEntry } from "../../../../src/domain/session/SessionEntry.ts"
import * as Instructions from "../../../../src/layers/agent/model/Instructions.ts"
import * as HookRegistry from "../../../../src/layers/hooks/HookRegistry.ts"
import { Session, type SessionInfo } from "../../../../src/services/session/Session.ts"
import { Workspace } from "../../../../src/services/Workspace.ts"
import { output, tool } from "../../../support/agent/AgentHarness.ts"
import * as FakeWorkspace from "../../../support/agent/FakeWorkspace.ts"
import { call, say } from "../../../support/agent/ScriptedModel.ts"
import { expand, run } from "../../../support/agent/SlashFakes.ts"
import * as TestAgent from "../../../support/agent/TestAgent.ts"

const ls = tool("ls", () => Effect.succeed(output("a")))
const turns = [call(["1", "ls", {}]), say("one"), say("two"), say("three"), say("four"), say("five")]

const make = (workspace: FakeWorkspace.FakeWorkspace, parts: TestAgent.AgentParts = {}) =>
  TestAgent.make({ turns, tools: [ls] }, { ...parts, workspace: workspace.service })

type Made = TestAgent.TestAgent

const ask = (made: Made, text: string) =>
  Effect.zipRight(
    made.agent.prompt({ text }),
    Effect.suspend(() => made.agent.awaitIdle)
  )

const sent = (made: Made) =>
  Effect.map(made.script.requests, (requests) => requests.map(({ systemPrompt }) => systemPrompt))

const kinds = (made: Made) =>
  Effect.map(made.session.entries, (entries) =>
    entries.map((entry) => (entry.type === "message" ? entry.message.role : entry.type))
  )

const notices = ({ events }: Made) => events.filter(({ _tag }) => _tag === "Notice")

const skill = (name: string) => ({
  ...expand(`skill:${name}`, (args) => Effect.succeed(`Do ${name}: ${args}`)),
  source: "skill" as const
})
const template = expand("review", (args) => Effect.succeed(`Review ${args}.`))

describe("the system prompt", () => {
  it.scoped("is the same bytes over turns, runs and edits of files, and is read once", () =>
    Effect.gen(function* () {
      const workspace = FakeWorkspace.make("# Environment")
      const made = yield* make(workspace)
      yield* ask(made, "First")
      workspace.prompt = { text: "# Something else" }
      yield* ask(made, "Second")
      const prompts = yield* sent(made)
      assert.strictEqual(prompts.length, 3)
      assert.strictEqual(new Set(prompts).size, 1)
      assert.isTrue(prompts[0]?.startsWith("You are heddle"))
      assert.isTrue(prompts[0]?.endsWith("\n\n# Environment"))
      assert.strictEqual(yield* made.instructions.current, prompts[0])
      assert.deepStrictEqual(workspace.reads, ["prompt"])
    })
  )

  it.scoped("is kept in the session before the first answer, once, and is no message", () =>
    Effect.gen(function* () {
      const made = yield* make(FakeWorkspace.make("# Environment"))
      yield* ask(made, "First")
      yield* ask(made, "Second")
      assert.deepStrictEqual(yield* kinds(made), [
        "user",
        "custom",
        "assistant",
        "toolResult",
        "assistant",
        "user",
        "assistant"
      ])
      const kept = (yield* made.session.entries)[1]
      assert.deepStrictEqual(kept?.type === "custom" ? [kept.customType, kept.data] : undefined, [
        "heddle.prompt",
        { cwd: "/", text: "# Environment" }
      ])
      assert.strictEqual(yield* made.session.messageCount, 6)
    })
  )

  it.scoped("is the same bytes after a resume, in a clone and in a branch; another session has its own", () =>
    Effect.gen(function* () {
      const workspace = FakeWorkspace.make("# First")
      workspace.prompt = { text: "# First", append: "Frozen.", replace: "Mine." }
      const made = yield* make(workspace)
      const changes = yield* made.sessions.changes
      yield* ask(made, "First")
      const { sessionId } = yield* made.agent.state
      workspace.prompt = { text: "# Second" }
      yield* changes.create({})
      yield* ask(made, "Second")
      yield* changes.open(sessionId)
      yield* ask(made, "Third")
      yield* changes.clone
      yield* ask(made, "Fourth")
      const fourth = (yield* made.session.entries).findLast(
        (entry) => entry.type === "message" && entry.message.role === "user"
      )
      yield* changes.branch(fourth?.id ?? "")
      yield* ask(made, "Fifth")
      const ends = (yield* sent(made)).map((prompt) =>
        prompt === "Mine.\n\nFrozen.\n\n# First" ? 1 : prompt.slice(-8)
      )
      assert.deepStrictEqual(ends, [1, 1, "# Second", 1, 1, 1])
      assert.deepStrictEqual(workspace.reads, ["prompt", "prompt"])
    })
  )

  it.scoped("looking at it stores nothing", () =>
    Effect.gen(function* () {
      const workspace = FakeWorkspace.make("# Environment")
      const made = yield* make(workspace)
      assert.include(yield* made.instructions.current, "# Environment")
      assert.deepStrictEqual(yield* made.session.entries, [])
      yield* ask(made, "First")
      assert.deepStrictEqual(workspace.reads, ["prompt"])
    })
  )

  it.scoped("an abort ends a run that waits for files; the next one has them", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const workspace = FakeWorkspace.make("# Environment")
      workspace.before = Deferred.await(gate)
      const made = yield* make(workspace)
      yield* made.agent.prompt({ text: "First", requestId: "r" })
      yield* made.agent.abort()
      const ends = made.events.flatMap((event) => (event._tag === "PromptFinished" ? [event.status] : []))
      assert.deepStrictEqual(ends, ["aborted"])
      yield* Deferred.succeed(gate, undefined)
      yield* ask(made, "Second")
      assert.deepStrictEqual(workspace.reads, ["prompt"])
      assert.include((yield* sent(made))[0], "# Environment")
    })
  )

  it.scoped("problems are told once, for the prompt and the commands together", () =>
    Effect.gen(function* () {
      const workspace = FakeWorkspace.make("# Environment")
      workspace.problems = ["a is a FIFO", "b is too large"]
      const made = yield* make(workspace)
      yield* ask(made, "First")
      yield* made.slashCommands.load
      assert.deepStrictEqual(notices(made), [
        { _tag: "Notice", level: "warning", message: "a is a FIFO\nb is too large", source: "workspace" }
      ])
    })
  )
})

describe("slash commands of files", () => {
  it.scoped("are read when somebody asks for them, once for all who ask", () =>
    Effect.gen(function* () {
      const workspace = FakeWorkspace.make("", [template, skill("pdf")])
      const made = yield* make(workspace)
      yield* ask(made, "First")
      assert.deepStrictEqual(yield* made.slashCommands.list, [])
      yield* Effect.all([made.slashCommands.load, made.slashCommands.load], { concurrency: 2 })
      assert.deepStrictEqual(
        (yield* made.slashCommands.list).map(({ name }) => name),
        ["review", "skill:pdf"]
      )
      assert.deepStrictEqual(workspace.reads, ["prompt", "commands"])
    })
  )

  it.scoped("the first message that begins with a slash waits for them", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const workspace = FakeWorkspace.make("", [template, skill("pdf")])
      workspace.before = Deferred.await(gate)
      const made = yield* make(workspace)
      const asking = yield* Effect.fork(made.agent.prompt({ text: "/review the code" }))
      yield* TestClock.adjust(0)
      assert.isNull(asking.unsafePoll())
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* Fiber.join(asking)).disposition, "started")
      yield* made.agent.awaitIdle
      yield* ask(made, "/skill:pdf x")
      yield* ask(made, "/usr/bin is a path")
      const texts = (yield* made.session.messages).flatMap((message) =>
        message.role === "user" ? message.content.map((block) => (block.type === "text" ? block.text : "")) : []
      )
      assert.deepStrictEqual(texts, ["Review the code.", "Do pdf: x", "/usr/bin is a path"])
    })
  )

  it.scoped("an unknown skill is refused with the names of those there are", () =>
    Effect.gen(function* () {
      const workspace = FakeWorkspace.make("", [template, skill("pdf"), skill("css")])
      const made = yield* make(workspace)
      const refusal = (text: string) => Effect.flip(made.agent.prompt({ text }))
      const { message } = yield* refusal("/skill:nope x")
      assert.strictEqual(message, "There is no such skill. Those there are: /skill:pdf, /skill:css")
      assert.strictEqual((yield* refusal("/skill:"))._tag, "SlashCommandFailed")
      assert.deepStrictEqual(yield* made.session.entries, [])
      assert.strictEqual((yield* made.agent.prompt({ text: "/skill:nope", literal: true })).disposition, "started")
      yield* made.agent.awaitIdle
      const queued = yield* Effect.flip(made.agent.enqueue("followUp", { text: "/skill:nope" }))
      assert.strictEqual(queued._tag, "SlashCommandFailed")
      const none = yield* make(FakeWorkspace.make(""))
      assert.strictEqual(
        (yield* Effect.flip(none.agent.prompt({ text: "/skill:x" }))).message,
        "There is no such skill. No skills were found."
      )
    })
  )

  it.scoped("an extension's command keeps its name", () =>
    Effect.gen(function* () {
      const made = yield* make(FakeWorkspace.make("", [template]))
      const mine = run("review", () => Effect.void)
      yield* made.slashCommands.register(mine)
      yield* made.slashCommands.load
      assert.deepStrictEqual(yield* made.slashCommands.list, [mine])
      assert.deepStrictEqual(
        notices(made).map((notice) => (notice._tag === "Notice" ? notice.message : "")),
        ['/ext/demo.ts was left out: an extension has a command "review", too']
      )
    })
  )

  it.scoped("a host that knows them is told of those of the next session", () =>
    Effect.gen(function* () {
      const workspace = FakeWorkspace.make("", [template])
      const made = yield* make(workspace)
      const changes = yield* made.sessions.changes
      yield* changes.create({})
      assert.deepStrictEqual(workspace.reads, [])
      yield* made.slashCommands.load
      workspace.commands = [skill("pdf")]
      yield* changes.create({})
      yield* made.slashCommands.load
      assert.deepStrictEqual(workspace.reads, ["commands", "commands"])
      assert.deepStrictEqual(
        (yield* made.slashCommands.list).map(({ name }) => name),
        ["skill:pdf"]
      )
    })
  )

  it.scoped("with hooks they are read at the start, after the hooks have named their folders", () =>
    Effect.gen(function* () {
      const workspace = FakeWorkspace.make("# Environment", [template])
      const known: Array<boolean> = []
      const made: Made = yield* make(workspace, {
        hooks: {
          resources: ({ reason }) => ({ skillPaths: [`/${reason}`], promptPaths: ["/p"] }),
          sessionStarted: () =>
            Effect.gen(function* () {
              known.push(Option.isSome(yield* made.slashCommands.find("review")))
              // Extensions ask for the prompt in functions that cannot wait.
              known.push(Effect.runSync(made.instructions.current).endsWith("# Environment"))
            })
        }
      })
      yield* made.startup.started
      assert.deepStrictEqual(workspace.resources, [{ skillPaths: ["/startup"], promptPaths: ["/p"] }])
      assert.deepStrictEqual(known, [true, true])
    })
  )
})

describe("a handoff", () => {
  it.scoped("the log that continues the conversation gets the entry, too", () =>
    Effect.gen(function* () {
      let [epoch, entries]: [string, Array<SessionEntry>] = ["one", []]
      const info: SessionInfo = {
        header: { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/" },
        sessionId: "s",
        epoch: "",
        file: Option.none(),
        name: Option.none()
      }
      const append = (entry: NewEntry) =>
        Effect.sync(() => {
          const stored = { ...entry, id: "e", parentId: null, timestamp: "" }
          entries.push(stored)
          return stored
        })
      const stub = Layer.mock(Session, {
        info: Effect.sync(() => ({ ...info, epoch })),
        entries: Effect.sync(() => entries),
        append
      })
      const { promptForCall } = yield* Effect.gen(function* () {
        const made = Instructions.make(
          {
            session: yield* Session,
            hooks: HookRegistry.make(() => {}),
            commands: { find: () => Effect.succeedNone, register: ({ name }) => Effect.succeed(name) },
            publish: () => {},
            fork: (effect) => Effect.runFork(effect),
            opening: { reason: "startup" }
          },
          { cwd: "/" }
        )
        return yield* made
      }).pipe(Effect.provide(stub), Effect.provideService(Workspace, FakeWorkspace.make("# E").service))
      const before = yield* promptForCall([])
      yield* promptForCall([])
      assert.strictEqual(entries.length, 1)
      ;[epoch, entries] = ["two", []]
      assert.strictEqual(yield* promptForCall([]), before)
      assert.deepStrictEqual(PromptEntry.find(entries, "/"), { cwd: "/", text: "# E" })
    })
  )
})
