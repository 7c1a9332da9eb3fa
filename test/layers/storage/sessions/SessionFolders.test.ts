import { homedir } from "node:os"
import { resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { FileRefused, local, OwnFiles } from "../../../../src/layers/machine/files/own/OwnFiles.ts"
import * as Environment from "../../../../src/layers/machine/processes/Environment.ts"
import * as SessionFolders from "../../../../src/layers/storage/sessions/SessionFolders.ts"
import * as StaticSettings from "../../../../src/layers/workspace/settings/StaticSettings.ts"

describe("place", () => {
  interface Given {
    readonly option?: string
    readonly variable?: string
    readonly setting?: string
  }
  const location = ({ option, setting, variable }: Given) =>
    SessionFolders.locate({
      agentDir: "agent",
      cwd: "/work",
      ...(option === undefined ? {} : { sessionDir: option })
    }).pipe(
      Effect.provideService(Environment.Environment, {
        get: (name) => (name === "PI_CODING_AGENT_SESSION_DIR" ? variable : undefined)
      }),
      Effect.provide(StaticSettings.layer(setting === undefined ? {} : { sessionDir: setting }))
    )
  const base = { agentDir: resolve("agent"), cwd: "/work", home: homedir() }
  const cases: ReadonlyArray<readonly [Given, string | undefined]> = [
    [{}, undefined],
    [{ setting: "/in/settings" }, "/in/settings"],
    [{ setting: "/in/settings", variable: "/in/environment" }, "/in/environment"],
    [{ setting: "/in/settings", variable: "" }, "/in/settings"],
    [{ setting: "/in/settings", variable: "/in/environment", option: "/in/options" }, "/in/options"],
    [{ option: "relative" }, "/work/relative"],
    [{ setting: "../relative" }, "/relative"],
    [{ variable: "~/sessions" }, `${homedir()}/sessions`]
  ]
  for (const [given, sessionDir] of cases) {
    it.effect(JSON.stringify(given), () =>
      Effect.map(location(given), (found) =>
        assert.deepStrictEqual(found, sessionDir === undefined ? base : { ...base, sessionDir })
      )
    )
  }
})

describe("folders", () => {
  const location = (cwd: string): SessionFolders.Location => ({ agentDir: "/agent", cwd, home: "/home/me" })
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["/work/a", ["--work-a--"]],
    ["/", ["----"]],
    ["C:\\work", ["--C--work--"]],
    ["/home/me", ["--home-me--", "-"]],
    ["/home/me/a/b", ["--home-me-a-b--", "-a-b"]],
    ["/home/meadow", ["--home-meadow--"]],
    ["/tmp/a", ["--tmp-a--", "-tmp-a"]]
  ]
  it.each(cases)("of %s", (cwd, names) => {
    const folders = names.map((name) => `/agent/sessions/${name}`)
    assert.deepStrictEqual(SessionFolders.searched(location(cwd)), folders)
    assert.strictEqual(SessionFolders.own(location(cwd)), folders[0])
  })

  it("a chosen folder is the only one", () => {
    const chosen = { ...location("/home/me/a"), sessionDir: "/mine" }
    assert.deepStrictEqual([SessionFolders.own(chosen), SessionFolders.searched(chosen)], ["/mine", ["/mine"]])
  })
})

describe("names of files", () => {
  it("hold the time and the id, and give the id back", () => {
    const name = SessionFolders.fileName("2026-01-02T03:04:05.678Z", "my_id.x")
    assert.strictEqual(name, "2026-01-02T03-04-05-678Z_my_id.x.jsonl")
    assert.strictEqual(SessionFolders.sessionIdIn(name), "my_id.x")
  })

  it.each(["mine.jsonl", "_a.jsonl", "a_.jsonl", "a_b.json", "a_b.jsonl.bak"])("%s holds no id", (name) =>
    assert.isUndefined(SessionFolders.sessionIdIn(name))
  )

  it.each([
    ["/s/a_b.jsonl", "/s/a_b"],
    ["/s/notes", "/s/notes.artifacts"]
  ])("artifacts of %s are in %s", (file, folder) => assert.strictEqual(SessionFolders.artifacts(file), folder))

  it.each([
    ["a/b", true],
    ["a\\b", true],
    ["a.jsonl", true],
    ["./a", true],
    ["a", false],
    ["0195a1b2", false],
    ["a.jsonl.x", false]
  ])("%s is a path: %s", (reference, is) => assert.strictEqual(SessionFolders.isPath(reference), is))
})

describe("a folder that cannot be written", () => {
  const warned = (code: string, message: string) =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      const location = { agentDir: "/agent", cwd: "/work", home: "/home", sessionDir: "/sessions" }
      const checkWritable = (path: string) => new FileRefused({ path, code, message })
      yield* SessionFolders.warnIfUnwritable(location).pipe(
        Effect.provideService(OwnFiles, { ...local, checkWritable }),
        Effect.provide(
          Logger.replace(
            Logger.defaultLogger,
            Logger.make(({ message }) => void logged.push(String(message)))
          )
        )
      )
      return logged
    })

  it.effect.each([
    ["EACCES", "EACCES: …", "/sessions: permission denied."],
    ["EROFS", "EROFS: …", "/sessions: the file system is read-only."],
    ["EIO", "EIO: i/o error", "/sessions: /sessions: EIO: i/o error."]
  ] as const)("is named, with the reason: %s", ([code, message, expected]) =>
    Effect.map(warned(code, message), (logged) => {
      assert.strictEqual(logged.length, 1)
      assert.include(logged[0], `sessions cannot be stored in ${expected} heddle works in memory`)
    })
  )
})
