/** `--export` as a person types it. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { spawnSync } from "node:child_process"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { toJson } from "../../src/domain/SessionEntry.ts"
import { entry } from "../support/HostProcess.ts"
import * as Sample from "../support/SampleSessions.ts"

const folder = mkdtempSync(join(tmpdir(), "heddle-export-"))
afterAll(() => rmSync(folder, { recursive: true }))

const { entries, header } = Sample.rich()
const lines = [header, ...entries.map(toJson)].map((line) => JSON.stringify(line))
writeFileSync(join(folder, "2026_abc.jsonl"), `${lines.join("\n")}\n`)
writeFileSync(join(folder, "torn.jsonl"), `${lines.slice(0, 4).join("\n")}\nno json\n${lines[4]?.slice(0, 40)}`)
writeFileSync(join(folder, "notes.txt"), "not a session\n")
writeFileSync(join(folder, "empty.jsonl"), "")
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

describe("--export", () => {
  const good: ReadonlyArray<readonly [ReadonlyArray<string>, string, number]> = [
    [["--export", "2026_abc.jsonl"], "heddle-session-2026_abc.html", entries.length],
    [["--export=2026_abc.jsonl", "sub/out.html"], "sub/out.html", entries.length],
    [["--export", "torn.jsonl", "--cwd", "."], "heddle-session-torn.html", 3]
  ]
  for (const [args, name, count] of good) {
    it(args.join(" "), () => {
      assert.deepStrictEqual(run(...args), { status: 0, stdout: `DIR/${name}\n`, message: "" })
      const html = readFileSync(join(folder, name), "utf8")
      const data = JSON.parse(Buffer.from(/id="session">([^<]*)</.exec(html)?.[1] ?? "", "base64").toString())
      assert.deepStrictEqual(data, {
        header,
        entries: entries.slice(0, count).map(toJson),
        leafId: entries[count - 1]?.id,
        tools: []
      })
    })
  }

  const bad: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
    [["none.jsonl"], "--export: Session file not found: DIR/none.jsonl"],
    [["notes.txt"], "--export: Not a session file: DIR/notes.txt"],
    [["empty.jsonl"], "--export: Not a session file: DIR/empty.jsonl"],
    [["sub"], "--export: Cannot open session DIR/sub: is a folder, not a file"],
    [["2026_abc.jsonl", "none/x.html"], "--export: Cannot export to DIR/none/x.html: there is no folder DIR/none"],
    [["2026_abc.jsonl", "sub"], "--export: Cannot export to DIR/sub: it is a directory, not a file"],
    [
      ["2026_abc.jsonl", "sub/../2026_abc.jsonl"],
      "--export: Cannot export to DIR/2026_abc.jsonl: it is the session itself"
    ],
    [["2026_abc.jsonl", "a.html", "b.html"], '--export takes a session and one more path; got "b.html" too'],
    [["2026_abc.jsonl", "--nope"], '--export takes a session and one more path; got "--nope" too'],
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
