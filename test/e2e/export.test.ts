/** `--export` as a person types it, and `export_html` of a session that is a file. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { spawnSync } from "node:child_process"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { toJson } from "../../src/domain/session/SessionEntry.ts"
import { answer, entry, open, type } from "../support/host/HostProcess.ts"
import * as Sample from "../support/sessions/SampleSessions.ts"
import { makeHome } from "./command.ts"

const folder = mkdtempSync(join(tmpdir(), "heddle-export-"))
afterAll(() => rmSync(folder, { recursive: true }))

const { entries, header } = Sample.rich()
const lines = [header, ...entries.map(toJson)].map((line) => JSON.stringify(line))
writeFileSync(join(folder, "2026_abc.jsonl"), `${lines.join("\n")}\n`)
writeFileSync(join(folder, "torn.jsonl"), `${lines.slice(0, 4).join("\n")}\nno json\n${lines[4]?.slice(0, 40)}`)
writeFileSync(join(folder, "notes.txt"), "not a session\n")
mkdirSync(join(folder, "sub"))

const run = (...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [entry, ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder },
    input: "",
    encoding: "utf8"
  })
  return {
    status,
    stdout: stdout.replaceAll(folder, "DIR"),
    message: (/^Error: (.*)$/m.exec(stderr)?.[1] ?? "").replaceAll(folder, "DIR")
  }
}

const embedded = (html: string) =>
  JSON.parse(Buffer.from(/id="session">([^<]*)</.exec(html)?.[1] ?? "", "base64").toString())

describe("--export", () => {
  const good: ReadonlyArray<readonly [ReadonlyArray<string>, string, number]> = [
    [["--export", "2026_abc.jsonl"], "heddle-session-2026_abc.html", entries.length],
    [["--export", "ab", "--session-dir", "."], "heddle-session-2026_abc.html", entries.length],
    [["--export", "ab", "--set", "sessionDir=."], "heddle-session-2026_abc.html", entries.length],
    [["--export=2026_abc.jsonl", "sub/out.html"], "sub/out.html", entries.length],
    [["--export", "torn.jsonl", "--cwd", "."], "heddle-session-torn.html", 3]
  ]
  for (const [args, name, count] of good) {
    it(args.join(" "), () => {
      assert.deepStrictEqual(run(...args), { status: 0, stdout: `DIR/${name}\n`, message: "" })
      const html = readFileSync(join(folder, name), "utf8")
      assert.deepStrictEqual(embedded(html), {
        header,
        entries: entries.slice(0, count).map(toJson),
        leafId: entries[count - 1]?.id,
        tools: []
      })
    })
  }

  const settings = { sessionDir: "in-settings" }
  const environment = { PI_CODING_AGENT_SESSION_DIR: "in-environment" }
  const places: ReadonlyArray<readonly [string, Readonly<Record<string, string>>, ReadonlyArray<string>]> = [
    ["in-settings", {}, []],
    ["in-environment", environment, []],
    ["in-arguments", environment, ["--session-dir", "in-arguments"]]
  ]
  for (const [place, variables, args] of places) {
    it(`finds by its id a session that the same options stored in the folder ${place}`, async () => {
      const home = makeHome()
      home.write("settings.json", settings)
      const commands = [
        { id: 1, type: "prompt", message: "Hi" },
        { id: 2, type: "get_state" }
      ]
      const input = commands.map((command) => `${JSON.stringify(command)}\n`).join("")
      const session = await home.run(["--mode", "rpc", "--drain", "--model", "offline/guide", ...args], {
        variables,
        input
      })
      const frames = session.out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
      const { sessionFile, sessionId } = frames.find(({ command }) => command === "get_state").data
      assert.strictEqual(basename(dirname(sessionFile)), place)
      const exported = await home.run(["--export", sessionId, ...args], { variables })
      const html = readFileSync(exported.out.trim(), "utf8")
      assert.deepStrictEqual([exported.code, embedded(html).header.id], [0, sessionId])
      home.remove()
    })
  }

  const bad: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
    [["none.jsonl"], "--export: Session file not found: none.jsonl"],
    [["notes.txt"], "--export: Not a session file: DIR/notes.txt"],
    [["abd"], "--export: Session file not found: abd"],
    [["sub"], "--export: Not a session file: DIR/sub (a folder)"],
    [["2026_abc.jsonl", "none/x.html"], "--export: Cannot export to DIR/none/x.html: there is no folder DIR/none"],
    [
      ["2026_abc.jsonl", "notes.txt/x.html"],
      "--export: Cannot export to DIR/notes.txt/x.html: DIR/notes.txt is a file, not a folder"
    ],
    ...(process.platform === "linux"
      ? [
          [
            ["2026_abc.jsonl", "/proc/x.html"],
            "--export: Cannot export to /proc/x.html: the folder /proc takes no new files"
          ] as const
        ]
      : []),
    [["2026_abc.jsonl", "sub"], "--export: Cannot export to DIR/sub: it is a directory, not a file"],
    [
      ["2026_abc.jsonl", "sub/../2026_abc.jsonl"],
      "--export: Cannot export to DIR/2026_abc.jsonl: it is the session itself"
    ],
    [["2026_abc.jsonl", "a.html", "b.html"], '--export takes a session and one more path; got "b.html" too'],
    [["2026_abc.jsonl", "--nope"], "unknown option, or an option without its value: --nope (see --help)"],
    [[], "unknown option, or an option without its value: --export (see --help)"]
  ]
  for (const [args, message] of bad) {
    it(`refuses ${args.join(" ") || "nothing"}`, () => {
      const before = readdirSync(folder, { recursive: true }).length
      assert.deepStrictEqual(run("--export", ...args), { status: 1, stdout: "", message })
      assert.strictEqual(readdirSync(folder, { recursive: true }).length, before)
    })
  }
})

it.scopedLive("export_html of a session that is a file: named after it, with its entries, and never onto it", () =>
  Effect.gen(function* () {
    const file = join(folder, "mine.jsonl")
    const host = yield* open({ args: ["--cwd", folder, "--session", file, "--model", "offline/guide"] })
    host.send({ id: 1, type: "prompt", message: "What is here?" })
    yield* Effect.promise(() => host.until(type("agent_end")))
    host.send({ id: 2, type: "export_html" }, { id: 3, type: "export_html", outputPath: "mine.jsonl" })
    const written = yield* Effect.promise(() => host.until(answer(2)))
    const page = join(folder, "heddle-session-mine.html")
    assert.deepInclude(written, { success: true, data: { path: page } })
    const refused = yield* Effect.promise(() => host.until(answer(3)))
    assert.deepInclude(refused, { success: false, error: `Cannot export to ${file}: it is the session itself` })
    const [first = "", ...rest] = readFileSync(file, "utf8").trimEnd().split("\n")
    const { entries, header } = embedded(readFileSync(page, "utf8"))
    assert.deepStrictEqual(
      { header, entries },
      { header: JSON.parse(first), entries: rest.map((line) => JSON.parse(line)) }
    )
  })
)
