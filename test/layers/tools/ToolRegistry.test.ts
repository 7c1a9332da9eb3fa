import { readFileSync, writeFileSync } from "node:fs"
import * as SessionFile from "../../../src/domain/session/SessionFile.ts"
import * as FileLedger from "../../../src/layers/tools/files/FileLedger.ts"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option, Ref, Schema } from "effect"
import * as HeadlessUi from "../../../src/layers/host/HeadlessUi.ts"
import * as LocalFiles from "../../../src/layers/machine/files/LocalFiles.ts"
import * as LocalProcesses from "../../../src/layers/machine/processes/LocalProcesses.ts"
import * as TodoWrite from "../../../src/layers/session/modules/todos/TodoWrite.ts"
import * as Ask from "../../../src/layers/tools/ask/Ask.ts"
import * as Tool from "../../../src/layers/tools/Tool.ts"
import * as ToolRegistry from "../../../src/layers/tools/ToolRegistry.ts"
import { HostTools } from "../../../src/services/host/HostTools.ts"
import { Session } from "../../../src/services/session/Session.ts"
import { Shell, ShellFailure } from "../../../src/services/Shell.ts"
import type { Tool as AnyTool } from "../../../src/services/Tools.ts"
import { type SessionTools, Tools } from "../../../src/services/Tools.ts"
import { run } from "./RunTool.ts"
import { tempFolder } from "./TempFolder.ts"

const fromHost = (name: string) =>
  Tool.make({
    name,
    description: "from the host",
    parameters: Schema.Struct({}),
    run: () => Effect.succeed(Tool.textOutput("host"))
  })

const local = Layer.mergeAll(LocalFiles.layer, LocalProcesses.layer)

const sessionHeader = {
  type: "session",
  version: 3,
  id: "s1",
  timestamp: "2026-01-01T00:00:00.000Z",
  cwd: "/"
} as const

const registry = Layer.provide(ToolRegistry.layer({ cwd: "/" }), [Layer.mock(Shell, {}), local])

const filesOf = ({ info = Effect.dieMessage("no session file is asked for") }: Partial<typeof Session.Service>) => ({
  ledger: FileLedger.make(),
  artifacts: Effect.map(info, ({ file }) => Option.map(file, SessionFile.artifacts))
})

/** The tools of a session that is opened, with those that its modules contribute. */
const open = (session: Partial<typeof Session.Service> = {}, ui = HeadlessUi.make()) => {
  const todos = TodoWrite.make({ todos: Effect.succeed([]), isStored: Effect.succeed(false) })
  const contributed = Effect.succeed([todos, Ask.make({ ui, askTimeoutSeconds: 0 })])
  return Effect.flatMap(Tools, (tools) =>
    Effect.provide(tools.open(contributed, filesOf(session)), Layer.mock(Session, session))
  )
}

const builtInNames = ["read", "bash", "edit", "write", "grep", "find", "ls", "todo_write"]
const names = (tools: ReadonlyArray<AnyTool>) => tools.map(({ definition }) => definition.name)

it.effect("lists the built-in tools, then what the host has registered by now; a built-in name wins", () =>
  Effect.gen(function* () {
    const registered = yield* Ref.make<ReadonlyArray<AnyTool>>([])
    yield* Effect.gen(function* () {
      const tools = yield* open()
      assert.deepStrictEqual(names(yield* tools.active), builtInNames)
      assert.isTrue(Option.isNone(yield* tools.find("deploy")))

      const deploy = fromHost("deploy")
      yield* Ref.set(registered, [deploy, fromHost("read")])
      const active = yield* tools.active
      assert.deepStrictEqual(names(active), [...builtInNames, "deploy"])
      assert.deepStrictEqual(yield* tools.find("deploy"), Option.some(deploy))
      assert.deepStrictEqual(yield* tools.find("read"), Option.fromNullable(active[0]))
      assert.notStrictEqual(active[0]?.definition.description, "from the host")
    }).pipe(
      Effect.scoped,
      Effect.provide(Layer.provide(registry, Layer.mock(HostTools, { active: Ref.get(registered) })))
    )
  })
)

it.effect("what models are told about the built-in tools", () =>
  Effect.gen(function* () {
    const active = yield* Effect.flatMap(open(), (tools) => tools.active)
    for (const { abortedText, concurrency, definition } of active) {
      const writes = ["edit", "write", "todo_write"].includes(definition.name)
      const aborted = definition.name === "bash" ? "Command aborted" : "Operation aborted"
      assert.deepStrictEqual([concurrency, abortedText], [writes ? "exclusive" : "shared", aborted])
      assert.isAbove(definition.description.length, 100)
      assert.notProperty(definition.parameters, "$schema")
      assert.notProperty(definition.parameters, "$defs")
      assert.strictEqual(definition.parameters.type, "object")
    }
    assert.deepStrictEqual(
      active.map(({ definition }) => Object.keys(Object(definition.parameters.properties))),
      [
        ["path", "offset", "limit"],
        ["command", "timeout", "cwd", "env"],
        ["path", "edits"],
        ["path", "content"],
        ["pattern", "path", "glob", "ignoreCase", "literal", "context", "limit"],
        ["pattern", "path", "limit"],
        ["path", "limit"],
        ["ops"]
      ]
    )
  }).pipe(Effect.scoped, Effect.provide(Layer.provide(registry, Layer.mock(HostTools, { active: Effect.succeed([]) }))))
)

it.effect("offers what was selected, and knows no other names", () =>
  Effect.gen(function* () {
    const host = Layer.mock(HostTools, { active: Effect.succeed([fromHost("deploy"), fromHost("read")]) })
    const offered = (selection: ToolRegistry.Selection) =>
      Effect.flatMap(open(), (tools) => Effect.map(tools.active, names)).pipe(
        Effect.scoped,
        Effect.provide(
          Layer.provide(ToolRegistry.layer({ cwd: "/", ...selection }), [host, Layer.mock(Shell, {}), local])
        )
      )
    assert.deepStrictEqual(yield* offered({}), [...builtInNames, "deploy"])
    assert.deepStrictEqual(yield* offered({ tools: ["ls", "grep"] }), ["grep", "ls", "deploy", "read"])
    assert.deepStrictEqual(yield* offered({ tools: [] }), ["deploy", "read"])
    assert.deepStrictEqual(yield* offered({ noBuiltinTools: true }), ["deploy", "read"])
    assert.deepStrictEqual(yield* offered({ noTools: true }), [])
    const { message } = yield* Effect.flip(offered({ tools: ["read", "deploy", "rm"] }))
    assert.strictEqual(message, `unknown tool: deploy, rm (there are ${builtInNames.join(", ")}, ask, task)`)
  })
)

it.effect("ask is the last of the built-in tools, and offered while somebody can be asked", () =>
  Effect.gen(function* () {
    const isPresent = yield* Ref.make(false)
    const ui = { ...HeadlessUi.make(), isPresent: Ref.get(isPresent) }
    const offered = (selection: ToolRegistry.Selection) =>
      Effect.flatMap(open({}, ui), (tools) =>
        Effect.gen(function* () {
          const before = names(yield* tools.active)
          yield* Ref.set(isPresent, true)
          const after = names(yield* tools.active)
          yield* Ref.set(isPresent, false)
          return [before, after, names(yield* tools.active), Option.isSome(yield* tools.find("ask"))]
        })
      ).pipe(
        Effect.scoped,
        Effect.provide(
          Layer.provide(ToolRegistry.layer({ cwd: "/", ...selection }), [
            Layer.mock(HostTools, { active: Effect.succeed([fromHost("deploy")]) }),
            Layer.mock(Shell, {}),
            local
          ])
        )
      )
    const without = [...builtInNames, "deploy"]
    assert.deepStrictEqual(yield* offered({}), [without, [...builtInNames, "ask", "deploy"], without, true])
    assert.deepStrictEqual(yield* offered({ tools: ["ask"] }), [["deploy"], ["ask", "deploy"], ["deploy"], true])
    assert.deepStrictEqual(yield* offered({ excludedTools: ["ask"] }), [without, without, without, false])
  })
)

it.effect("registered tools are offered beside the selection, but not in place of a tool that was left out", () =>
  Effect.gen(function* () {
    const host = Layer.mock(HostTools, { active: Effect.succeed([]) })
    const offered = (selection: ToolRegistry.Selection) =>
      Effect.gen(function* () {
        const tools = yield* open()
        for (const name of ["bash", "todo"]) yield* tools.register(fromHost(name))
        const before = names(yield* tools.active)
        yield* tools.setActive([...builtInNames, "todo"])
        assert.deepStrictEqual(names(yield* tools.active), before)
        return before
      }).pipe(
        Effect.scoped,
        Effect.provide(
          Layer.provide(ToolRegistry.layer({ cwd: "/", ...selection }), [host, Layer.mock(Shell, {}), local])
        )
      )
    assert.deepStrictEqual(yield* offered({}), [...builtInNames, "todo"])
    assert.deepStrictEqual(yield* offered({ tools: ["ls"] }), ["ls", "todo"])
    assert.deepStrictEqual(yield* offered({ tools: ["ls", "bash"] }), ["bash", "ls", "todo"])
    const left = builtInNames.filter((name) => name !== "bash" && name !== "ls")
    assert.deepStrictEqual(yield* offered({ excludedTools: ["bash", "ls", "rm"] }), [...left, "todo"])
    assert.deepStrictEqual(yield* offered({ excludedTools: ["todo"] }), builtInNames)
    assert.deepStrictEqual(yield* offered({ noBuiltinTools: true }), ["bash", "todo"])
    assert.deepStrictEqual(yield* offered({ noTools: true }), [])
  })
)

it.scopedLive("another session may write what this one has seen otherwise", () =>
  Effect.gen(function* () {
    const cwd = yield* tempFolder
    const path = join(cwd, "a.txt")
    yield* Effect.gen(function* () {
      const [tools, others] = [yield* open(), yield* open()]
      const call = (of: SessionTools, name: string, args: Record<string, unknown>) =>
        Effect.flatMap(Effect.flatten(of.find(name)), (tool) => run(tool, { path, ...args }))
      writeFileSync(path, "one")
      yield* call(tools, "read", {})
      writeFileSync(path, "two, by somebody else")
      yield* Effect.flip(call(tools, "write", { content: "three" }))
      yield* call(others, "write", { content: "three" })
      assert.strictEqual(readFileSync(path, "utf8"), "three")
    }).pipe(
      Effect.provide(
        Layer.provide(ToolRegistry.layer({ cwd }), [
          Layer.mock(HostTools, { active: Effect.succeed([]) }),
          Layer.mock(Shell, {}),
          local
        ])
      )
    )
  })
)

it.effect("bash keeps full output beside the session's file", () =>
  Effect.gen(function* () {
    const asked = yield* Ref.make<ReadonlyArray<Option.Option<string>>>([])
    const shell = Layer.mock(Shell, {
      run: ({ artifacts = Effect.succeedNone }) =>
        Effect.flatMap(artifacts, (folder) =>
          Effect.zipRight(
            Ref.update(asked, (before) => [...before, folder]),
            new ShellFailure({ reason: "not_started", message: "not here" })
          )
        )
    })
    const info = {
      header: sessionHeader,
      sessionId: "s1",
      epoch: "e1",
      file: Option.some("/s/one.jsonl"),
      name: Option.none()
    }
    yield* Effect.gen(function* () {
      const { find } = yield* open({ info: Effect.succeed(info) })
      const bash = yield* Effect.flatten(find("bash"))
      assert.strictEqual((yield* Effect.flip(run(bash, { command: "true" }))).message, "not here")
    }).pipe(
      Effect.scoped,
      Effect.provide(
        Layer.provide(ToolRegistry.layer({ cwd: "/" }), [
          Layer.mock(HostTools, { active: Effect.succeed([]) }),
          shell,
          local
        ])
      )
    )
    assert.deepStrictEqual(yield* Ref.get(asked), [Option.some("/s/one")])
  })
)
