import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { canHold } from "../../support/sandbox/Confined.ts"
import { golden, on } from "../../support/terminal/Sessions.ts"
import { keys, type TerminalHost } from "../../support/terminal/TerminalHost.ts"

const call = (name: string, args: object) => ({ toolCall: { name, arguments: args } })
const script = (...turns: ReadonlyArray<ReadonlyArray<object>>) => ({
  scenario: { turns: [...turns.map((steps) => ({ steps })), { steps: [{ text: "All done." }] }] },
  files: { "notes.txt": "first line\nsecond line\n" },
  rows: 40
})
const made = (host: TerminalHost, name: string) => join(host.place.work, name)

describe("questions about effects on a terminal", () => {
  it.live("show what runs and what it changes, and a key answers each", () =>
    on(
      script(
        [call("bash", { command: "rm -rf notes.txt" })],
        [call("edit", { path: "notes.txt", oldText: "first", newText: "FIRST" })],
        [call("bash", { command: "touch once" }), call("bash", { command: "touch once" })]
      ),
      async (host) => {
        host.type(`go${keys.enter}`)
        await host.until(/Allow bash\?[^]*rm -rf notes\.txt[^]*Risk: \w+ \(deletes files\)[^]*r\. Deny, and say why/)
        host.type("r")
        await host.until(/Why not\?/)
        host.type(`keep it${keys.enter}`)
        await host.until(
          /Allow edit notes\.txt\?[^]*-first line[^]*\+FIRST line[^]*a\. Always[^\n]*: edit\(notes\.txt\)/
        )
        await golden("approval", host)
        assert.strictEqual(readFileSync(made(host, "notes.txt"), "utf8"), "first line\nsecond line\n")
        host.type("y")
        await host.until(/Allow bash\?[^]*touch once[^]*Esc/)
        assert.strictEqual(readFileSync(made(host, "notes.txt"), "utf8"), "FIRST line\nsecond line\n")
        host.type("s")
        const said = await host.settled(/All done\./)
        assert.match(said, /Denied by user: keep it/)
        assert.isTrue(existsSync(made(host, "once")))
      }
    )
  )

  it.live("end with an abort or Esc, and nothing has run", () =>
    on(script([call("bash", { command: "touch one" }), call("bash", { command: "touch two" })]), async (host) => {
      host.type(`go${keys.enter}`)
      await host.until(/Allow bash\?[^]*touch one[^]*Esc/)
      host.type(keys.escape)
      await host.until(/touch two[^]*Esc/)
      host.type(keys.ctrl("c"))
      await host.settled(/bash touch two[^]*Tool execution was aborted\./)
      assert.isFalse(existsSync(made(host, "one")) || existsSync(made(host, "two")))
    })
  )

  it.live("are not asked about what is known to be harmless", () =>
    on({ ...script([call("bash", { command: "ls && echo hi" })]) }, async (host) => {
      host.type(`go${keys.enter}`)
      assert.notMatch(await host.settled(/All done\./), /Allow/)
    })
  )

  it.live("are not asked at all with --approvals off", () =>
    on({ ...script([call("bash", { command: "touch free" })]), args: ["--approvals", "off"] }, async (host) => {
      host.type(`go${keys.enter}`)
      assert.notMatch(await host.settled(/All done\./), /Allow/)
      assert.isTrue(existsSync(made(host, "free")))
    })
  )
})

describe.skipIf(!canHold)("the sandbox of a terminal", () => {
  it.live("holds commands by default, and a person lets one of them out", () =>
    on(
      {
        ...script(
          [call("bash", { command: "touch free; touch .git/held" })],
          [call("bash", { command: "touch .git/out", escalate: true })]
        ),
        files: { ".git/HEAD": "ref: refs/heads/main\n" },
        keepsSandbox: true
      },
      async (host) => {
        assert.match(await host.until(/sandbox: /), /commands can write in this folder only, and reach no network/)
        host.type(`go${keys.enter}`)
        await host.until(/Allow bash\?[^]*runs without the sandbox[^]*e\. Run once without the sandbox/)
        assert.deepStrictEqual([existsSync(made(host, "free")), existsSync(made(host, ".git/held"))], [true, false])
        host.type("e")
        await host.settled(/All done\./)
        assert.isTrue(existsSync(made(host, ".git/out")))
      }
    )
  )

  it.live("gives way to questions in the home folder", () =>
    on(
      { ...script([call("bash", { command: "touch free" })]), keepsSandbox: true, args: ["--cwd", ".."] },
      async (host) => {
        await host.until(/no sandbox \([^)]*home\s+folder/)
        host.type(`go${keys.enter}`)
        await host.until(/Allow bash\?[^]*touch free/)
      }
    )
  )
})
