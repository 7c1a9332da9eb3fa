/** `export_html` over the wire, and the same of an embedder: where the page goes and what is in it. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { ToolSet } from "../../../../src/services/Tools.ts"
import { Instructions } from "../../../../src/services/session/modules/Instructions.ts"
import { homedir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as EmbeddedAgent from "../../../../src/layers/Embedded.ts"
import { commands } from "../../../../src/rpc/registry.ts"
import { Agent } from "../../../../src/services/Agent.ts"
import { Session } from "../../../../src/services/session/Session.ts"
import { SessionExport } from "../../../../src/services/storage/SessionExport.ts"
import { tempFolder } from "../../../layers/tools/TempFolder.ts"
import * as ScriptedModel from "../../../support/agent/ScriptedModel.ts"

const embedded = (path: string) =>
  JSON.parse(Buffer.from(/id="session">([^<]*)</.exec(readFileSync(path, "utf8"))?.[1] ?? "", "base64").toString())

const inSession = <A, E>(
  body: (cwd: string) => Effect.Effect<A, E, Agent | Instructions | Session | SessionExport | ToolSet>,
  turns: ReadonlyArray<ScriptedModel.ScriptedTurn> = []
) =>
  Effect.gen(function* () {
    const cwd = yield* tempFolder
    const script = yield* ScriptedModel.make(turns)
    const agent = EmbeddedAgent.layer({ cwd, model: ScriptedModel.model })
    return yield* Effect.provide(body(cwd), Layer.provideMerge(agent, script.layer))
  })

it.scopedLive("a session in memory: named after its id, in the working folder, with everything in it", () =>
  inSession(
    (cwd) =>
      Effect.gen(function* () {
        const agent = yield* Agent
        const session = yield* Session
        const exporter = yield* SessionExport
        yield* agent.prompt({ text: "<b>Hello</b>" })
        yield* agent.awaitIdle
        const path = yield* exporter.toHtml({})
        const { header, sessionId } = yield* session.info
        assert.strictEqual(path, join(cwd, `heddle-session-${sessionId}.html`))
        const { entries, leafId, systemPrompt, tools, ...rest } = embedded(path)
        assert.deepStrictEqual(rest, { header })
        assert.deepStrictEqual(entries, JSON.parse(JSON.stringify(yield* session.entries)))
        assert.strictEqual(leafId, yield* session.leafId)
        assert.strictEqual(systemPrompt, yield* (yield* Instructions).current)
        assert.include(
          tools.map(({ name }: { name: string }) => name),
          "edit"
        )
        assert.deepStrictEqual(Object.keys(tools[0]), ["name", "description"])
        assert.include(readFileSync(path, "utf8"), "<title>&lt;b&gt;Hello&lt;/b&gt;</title>")
      }),
    [ScriptedModel.say("Hi.")]
  )
)

it.scopedLive("paths: relative to the working folder, absolute, home, through links; what was there is replaced", () =>
  inSession((cwd) =>
    Effect.gen(function* () {
      const exporter = yield* SessionExport
      mkdirSync(join(cwd, "out"))
      writeFileSync(join(cwd, "old.html"), "old")
      symlinkSync(join(cwd, "old.html"), join(cwd, "link.html"))
      for (const [given, expected] of [
        ["out/a.html", join(cwd, "out/a.html")],
        [join(cwd, "b.html"), join(cwd, "b.html")],
        ["link.html", join(cwd, "link.html")]
      ] as const) {
        assert.strictEqual(yield* exporter.toHtml({ outputPath: given }), expected)
        assert.deepStrictEqual(embedded(expected).entries, [])
      }
      assert.deepStrictEqual(embedded(join(cwd, "old.html")).entries, [], "the link stays one")
      assert.deepStrictEqual(readdirSync(cwd).toSorted(), ["b.html", "link.html", "old.html", "out"])
      const missing = "~/no-such-folder-of-heddle/x.html"
      const { path } = yield* Effect.flip(exporter.toHtml({ outputPath: missing }))
      assert.strictEqual(path, join(homedir(), missing.slice(2)))
    })
  )
)

it.scopedLive("what cannot be written is said, and leaves nothing behind", () =>
  inSession((cwd) =>
    Effect.gen(function* () {
      const exporter = yield* SessionExport
      writeFileSync(join(cwd, "file"), "")
      mkdirSync(join(cwd, "folder"))
      for (const [outputPath, detail] of [
        ["none/x.html", `there is no folder ${join(cwd, "none")}`],
        ["file/x.html", `${join(cwd, "file")} is a file, not a folder`],
        ["folder", "it is a directory, not a file"],
        ["/dev/null", "it is a character device, not a file"]
      ] as const) {
        const failed = yield* Effect.flip(exporter.toHtml({ outputPath }))
        assert.strictEqual(failed.detail, detail)
      }
      assert.deepStrictEqual(readdirSync(cwd).toSorted(), ["file", "folder"])
      assert.isFalse(existsSync(join(cwd, "none")))
    })
  )
)

it("holds the ordered lane", () => {
  assert.deepStrictEqual(
    commands.filter(({ name }) => name === "export_html").map(({ errors, lane, name }) => ({ name, lane, errors })),
    [{ name: "export_html", lane: "holding", errors: ["invalid_params", "export_failed"] }]
  )
})
