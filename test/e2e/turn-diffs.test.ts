/** The files that a turn has changed, told to a host that has asked for it, and to no other (supplement 7(13)). */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as HostProcess from "../support/host/HostProcess.ts"

const { answer, type } = HostProcess

const folder = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "heddle-turns-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const call = (name: string, args: object) => ({ toolCall: { name, arguments: args } })
const edit = (path: string, oldText: string, newText: string) => call("edit", { path, edits: [{ oldText, newText }] })

const open = (path: string) => {
  const at = (name: string) => join(path, name)
  const scenario = {
    turns: [
      {
        steps: [
          call("write", { path: at("new"), content: "one\n" }),
          edit(at("old"), "a", "b"),
          edit(at("old"), "nothing", "b"),
          call("write", { path: at("twice"), content: "x\n" }),
          edit(at("twice"), "x", "y\nz")
        ]
      },
      { steps: [call("read", { path: at("new") })] },
      { steps: [call("write", { path: at("old"), content: "b\nc\n" })] },
      { steps: [{ text: "Done." }] }
    ]
  }
  writeFileSync(at("old"), "a\n")
  writeFileSync(at("scenario.json"), JSON.stringify(scenario))
  const args = ["--model", "offline/script", "--no-session", "--set", `offline.scenario=${at("scenario.json")}`]
  return HostProcess.open({ home: path, args })
}

const play = async (host: HostProcess.HostProcess, capabilities: object) => {
  host.send({ id: "i", type: "initialize", capabilities })
  await host.until(answer("i"))
  host.send({ id: "p", type: "prompt", message: "Weave" })
  await host.until(type("session_settled"))
  const names = ["turn_diff", "turn_end"]
  return host
    .frames()
    .flatMap(({ files, turnId, type }) => (names.includes(`${type}`) ? [{ type, turnId, files }] : []))
}

it.scopedLive("each turn that changed files has one, right before its end", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const host = yield* open(path)
    const frames = yield* Effect.promise(() => play(host, { turnDiffs: true }))
    assert.deepStrictEqual(
      frames.map((frame) => frame.type),
      ["turn_diff", "turn_end", "turn_end", "turn_diff", "turn_end", "turn_end"]
    )
    const [first, , , later] = frames
    const [created, old, twice] = ["new", "old", "twice"].map((name) => join(path, name))
    assert.deepStrictEqual(first?.files, [
      {
        path: created,
        kind: "create",
        added: 1,
        removed: 0,
        unified: `--- /dev/null\n+++ ${created}\n@@ -0,0 +1 @@\n+one\n`
      },
      { path: old, kind: "modify", added: 1, removed: 1, unified: `--- ${old}\n+++ ${old}\n@@ -1 +1 @@\n-a\n+b\n` },
      { path: twice, kind: "create", added: 3, removed: 1 }
    ])
    assert.deepStrictEqual(later?.files, [
      { path: old, kind: "modify", added: 1, removed: 0, unified: `--- ${old}\n+++ ${old}\n@@ -1 +1,2 @@\n b\n+c\n` }
    ])
    assert.notStrictEqual(first?.turnId, later?.turnId)
  })
)

it.scopedLive("a host that has not asked for it gets none", () =>
  Effect.gen(function* () {
    const host = yield* open(yield* folder)
    const frames = yield* Effect.promise(() => play(host, {}))
    assert.deepStrictEqual(
      frames.map((frame) => frame.type),
      ["turn_end", "turn_end", "turn_end", "turn_end"]
    )
  })
)
