/** Layers that refuse, as an approval or a sandbox would: whatever a tool does to the machine goes through them. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import * as FileLedger from "../../../src/layers/tools/files/FileLedger.ts"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as LocalFiles from "../../../src/layers/machine/files/LocalFiles.ts"
import * as LocalProcesses from "../../../src/layers/machine/processes/LocalProcesses.ts"
import * as Process from "../../../src/layers/machine/processes/Process.ts"
import * as LocalShell from "../../../src/layers/tools/shell/LocalShell.ts"
import * as ToolRegistry from "../../../src/layers/tools/ToolRegistry.ts"
import { HostTools } from "../../../src/services/host/HostTools.ts"
import { FileError, Files } from "../../../src/services/machine/Files.ts"
import { Processes, SpawnFailed } from "../../../src/services/machine/Processes.ts"
import { Session } from "../../../src/services/session/Session.ts"
import { Tools } from "../../../src/services/Tools.ts"
import { run, textOf } from "./RunTool.ts"
import { withFiles } from "./TempFolder.ts"

/** Refuses every path that `isRefused` says, whichever member it is given to. */
const refusingFiles = (isRefused: (path: string) => boolean) => {
  const { entries, inspect, isDirectory, makeParents, open, realPath, replace, resolve } = LocalFiles.service
  const guarded =
    <A, R>(use: (path: string) => Effect.Effect<A, FileError, R>) =>
    (path: string): Effect.Effect<A, FileError, R> =>
      isRefused(path) ? new FileError({ path, reason: "refused", description: "not approved" }) : use(path)
  return Layer.succeed(Files, {
    open: guarded(open),
    entries: guarded(entries),
    isDirectory: (path) => (isRefused(path) ? Effect.succeed(false) : isDirectory(path)),
    realPath: guarded(realPath),
    resolve: guarded(resolve),
    inspect: guarded(inspect),
    makeParents: guarded(makeParents),
    replace: (target, bytes, onReplaced) => guarded(() => replace(target, bytes, onReplaced))(target.path),
    sharedWithPrograms: false
  })
}

const tools = (cwd: string, machine: Layer.Layer<Files | Processes>) =>
  ToolRegistry.layer({ cwd }).pipe(
    Layer.provide([LocalShell.layer({ cwd }), Layer.mock(HostTools, { active: Effect.succeed([]) })]),
    Layer.provide(machine)
  )

/** What the model reads, without the name of the test's folder. */
const answer = Effect.fnUntraced(function* (cwd: string, name: string, args: Record<string, unknown>) {
  const files = { ledger: FileLedger.make(), artifacts: Effect.die("no output overflows here") }
  const { find } = yield* Effect.flatMap(Tools, ({ open }) =>
    Effect.provide(open(Effect.succeed([]), files), Layer.mock(Session, {}))
  )
  const tool = Option.getOrThrow(yield* find(name))
  const text = yield* Effect.match(run(tool, args), { onFailure: ({ message }) => message, onSuccess: textOf })
  return text.replaceAll(cwd, ".")
})

it.scopedLive("a Files layer that refuses a folder is obeyed by every file tool", () =>
  Effect.gen(function* () {
    const cwd = yield* withFiles({ "secret/key": "needle", "open/note": "needle" })
    const secret = join(cwd, "secret")
    const files = refusingFiles((path) => path === secret || path.startsWith(`${secret}/`))
    const said = yield* Effect.forEach(
      [
        ["read", { path: "secret/key" }],
        ["read", { path: "open/note" }],
        ["write", { path: "secret/key", content: "x" }],
        ["write", { path: "secret/new/file", content: "x" }],
        ["edit", { path: "secret/key", edits: [{ oldText: "needle", newText: "x" }] }],
        ["ls", { path: "secret" }],
        ["grep", { pattern: "needle", path: "secret" }],
        ["grep", { pattern: "needle", path: "secret/key" }],
        ["grep", { pattern: "needle" }],
        ["find", { pattern: "*", path: "secret" }],
        ["find", { pattern: "key" }]
      ] as const,
      ([name, args]) => answer(cwd, name, args)
    ).pipe(Effect.provide(tools(cwd, Layer.merge(files, LocalProcesses.layer))))
    assert.deepStrictEqual(said, [
      "Cannot read ./secret/key: not approved",
      "needle",
      "Cannot write ./secret/key: not approved",
      "Cannot write ./secret/new/file: not approved",
      "Cannot edit ./secret/key: not approved",
      "Cannot read ./secret: not approved",
      "Cannot search ./secret: not approved",
      "Cannot search ./secret/key: not approved",
      "open/note:1: needle",
      "Cannot search ./secret: not approved",
      "No files found matching pattern"
    ])
    assert.deepStrictEqual([readFileSync(join(secret, "key"), "utf8"), readdirSync(secret)], ["needle", ["key"]])
  })
)

it.scopedLive("a Processes layer that refuses is obeyed by bash and by the search with ripgrep", () =>
  Effect.gen(function* () {
    const cwd = yield* withFiles({ note: "needle" })
    mkdirSync(join(cwd, "bin"))
    writeFileSync(join(cwd, "bin", "other"), "needle")
    const asked: Array<string> = []
    const refuse = (command: string) =>
      Effect.suspend(() => {
        asked.push(command)
        return new SpawnFailed({ message: "not approved" })
      })
    const processes = Layer.succeed(Processes, {
      run: ({ command }) => refuse(command[0]?.replace(/.*\//, "") ?? ""),
      tree: (options) =>
        Effect.map(LocalProcesses.service.tree(options), (tree) => ({
          ...tree,
          spawn: ({ command }) => refuse(command)
        }))
    })
    const said = yield* Effect.forEach(
      [
        ["bash", { command: "touch made" }],
        ["grep", { pattern: "needle" }]
      ] as const,
      ([name, args]) => answer(cwd, name, args)
    ).pipe(Effect.provide(tools(cwd, Layer.merge(LocalFiles.layer, processes))))
    // The engine inside heddle answers in ripgrep's place.
    assert.deepStrictEqual(said, ["not approved", "bin/other:1: needle\nnote:1: needle"])
    const ripgrep = (yield* Process.ripgrep) === undefined ? [] : ["rg"]
    assert.deepStrictEqual(
      [asked, readdirSync(cwd).toSorted()],
      [
        ["touch made", ...ripgrep],
        ["bin", "note"]
      ]
    )
  })
)
