/** Text mode for a person: a real terminal shows the text while it streams, and what the tools do. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { makeHome } from "../command.ts"

const home = makeHome()
afterAll(home.remove)

/** Starts heddle at a terminal. `until` returns when the screen has shown the text. */
const open = (args: ReadonlyArray<string>, folder?: string) => {
  let shown = ""
  let check = () => {}
  const decoder = new TextDecoder()
  const { cwd, env } = home.place()
  // Made by `spawn`, the terminal is the one that controls the child, so that Ctrl-C is a signal.
  const child = Bun.spawn(home.command(args), {
    cwd: folder ?? cwd,
    env: { ...env, TERM: "xterm" },
    terminal: {
      cols: 80,
      rows: 24,
      data: (_, bytes) => {
        shown += decoder.decode(bytes, { stream: true })
        check()
      }
    }
  })
  const until = (text: string) =>
    new Promise<void>((resolve) => {
      check = () => (shown.includes(text) ? resolve() : undefined)
      check()
    })
  const ended = async () => {
    const code = await child.exited
    child.terminal?.close()
    return { code, screen: shown.replaceAll("\r\n", "\n") }
  }
  return { press: (keys: string) => child.terminal?.write(keys), until, ended }
}

describe("at a terminal", () => {
  it("the text of all messages streams, and tools have a line each", async () => {
    const turns = [
      {
        steps: [
          { text: "I look." },
          { toolCall: { name: "ls", arguments: { path: "." } } },
          { toolCall: { name: "bash", arguments: { command: "exit 3" } } }
        ]
      },
      { steps: [{ text: "All \u001b]0;evil\u0007d\u202eo\u200fne\u009b2J." }] }
    ]
    const { code, screen } = await open(["look", ...home.script(turns)]).ended()
    assert.strictEqual(code, 0)
    assert.match(screen, /^I look\.\n· ls \.\n· bash exit 3\n {2}bash failed: [^\n]*\n\nAll done\.\n$/)
  })

  it("shows text before the answer is complete; Ctrl-C aborts and exits with 130", async () => {
    const turns = [{ steps: [{ text: "The first words." }, { hang: true }] }]
    const { ended, press, until } = open(["talk", ...home.script(turns)])
    await until("The first words.")
    press("\u0003")
    assert.strictEqual((await ended()).code, 130)
  })

  /** A folder whose name would set the title, clear the screen and turn text around, with settings that are wrong. */
  const hostile = "w\u001b]0;title\u0007\u009b2J\u202e\u061cork"
  const notes = `export default (pi) => {
    pi.on("session_start", (_, ctx) => {
      ctx.ui.notify("a note \\u001b]0;title\\u0007of \\u202eit")
      throw new Error("boom \\u001b]0;title\\u0007\\u202e")
    })
  }`
  const inHostile = () => {
    const folder = join(home.folder, hostile)
    mkdirSync(join(folder, ".heddle"), { recursive: true })
    const settings = { "retry.mode\u001b]0;title\u0007": 1, compaction: { enabled: "\u001b]0;yes\u0007\u202e" } }
    writeFileSync(join(folder, ".heddle/settings.json"), JSON.stringify(settings))
    writeFileSync(join(folder, "notes.ts"), notes)
    return folder
  }
  /** A name that heddle does not have and a value of the wrong type: two sentences, and both name the file. */
  const wrongType = /settings: \S+work\/\.heddle\/settings\.json:1:\d+: compaction\.enabled: expected true or false/
  const foreignName =
    /settings: heddle has no settings of these names: retry\.mode.* \(\S+work\/\.heddle\/settings\.json\)/

  it.each<readonly [string, ReadonlyArray<string>, RegExp]>([
    ["a warning about settings", ["hello", "--approve"], wrongType],
    ["a warning about names of other programs", ["hello", "--approve"], foreignName],
    ["what an extension says", ["hello", "-e", "notes.ts"], /heddle info: a note of it\n/],
    ["a failing extension", ["hello", "-e", "notes.ts"], /heddle warn: the extension \S+work\/notes\.ts failed: boom/],
    ["an error", ["hello", "--cwd", `${hostile}/none`], /Error: --cwd: no such folder: work\/none/],
    ["an error about an option", [`--tools=${hostile}`, "hello"], /Error: --tools: .*work/],
    ["doctor", ["doctor", "--approve"], /settings\.json/],
    ["doctor --json", ["doctor", "--json", "--approve"], /settings\.json/],
    ["sessions", ["sessions", hostile], /FOLDER[^]*work/],
    ["frames", ["--mode", "json", "hello"], /"cwd":"[^"]+\\u0007ork"/]
  ])("%s leaves the terminal alone, whatever a folder is called", async (_, args, said) => {
    const script = args.includes("hello") ? home.script([{ steps: [{ text: "ok" }] }]) : []
    const { screen } = await open([...args, ...script], inHostile()).ended()
    assert.match(screen.replaceAll("\r", ""), said)
    assert.notMatch(screen, /(?![\n\r\t])\p{Cc}|[\u061c\u202e]/u)
  })

  it("a pipe gets the answer as it is, and stderr never a sequence", async () => {
    const text = "a\u001b]0;evil\u0007b\u202ec\u0085"
    const child = Bun.spawn(home.command(["x", "--approve", ...home.script([{ steps: [{ text }] }])]), {
      ...home.place(),
      cwd: inHostile(),
      stdin: null,
      stdout: "pipe",
      stderr: "pipe"
    })
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
    assert.strictEqual(out, `${text}\n`)
    assert.match(err, wrongType)
    assert.match(err, foreignName)
    assert.notMatch(err, /(?!\n)\p{Cc}|[\u061c\u202e]/u)
  })

  it("-p without a message asks for one", async () => {
    const { code, screen } = await open(["-p"]).ended()
    assert.strictEqual(code, 1)
    assert.match(screen, /^Error: there is no message, and no terminal to ask for one\./)
  })
})
