import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { assertSane, golden, on } from "../../support/terminal/Sessions.ts"
import { keys } from "../../support/terminal/TerminalHost.ts"

const answer = {
  turns: [
    {
      steps: [
        { thinking: "The person wants to see the folder.\nI list it." },
        { text: "I will **look** around." },
        { toolCall: { name: "ls", arguments: { path: "." } } }
      ],
      usage: { input: 50, output: 20 }
    },
    {
      steps: [{ toolCall: { name: "bash", arguments: { command: "seq 1 9; exit 3" } } }],
      usage: { input: 30, output: 20 }
    },
    {
      steps: [
        {
          text: "# Result\n\nThere is `a.txt`:\n\n```ts\nconst answer: number = 42\n```\n\n| file | size |\n|---|---|\n| a.txt | 3 |\n\n1. one\n2. two\n"
        }
      ],
      usage: { input: 200, output: 80 }
    }
  ]
}

const hanging = {
  atEnd: "repeat",
  turns: [{ steps: [{ text: "I was about to", cutOff: true }, { hang: true }] }]
}

const pausing = { turns: [{ steps: [{ text: "Begun.\n\nThen\nmore", cutOff: true }, { hang: true }] }] }

describe("heddle on a terminal", () => {
  it.live("shows what it is, that there is no key, and the model that answers without one", () =>
    on({}, (host) => golden("first", host))
  )

  it.live("renders an answer with Markdown, thinking and tool calls", () =>
    on({ scenario: answer, files: { "a.txt": "abc" }, rows: 50 }, async (host) => {
      host.type(`what is here?${keys.enter}`)
      await host.settled(/2\. two[^]*400 tokens/)
      await golden("answer", host)
    })
  )

  it.live("fits into 40 columns", () =>
    on({ scenario: answer, files: { "a.txt": "abc" }, rows: 60, columns: 40 }, async (host) => {
      host.type(`what is here, please, in this folder of mine?${keys.enter}`)
      await host.settled(/2\. two/)
      await golden("narrow", host)
    })
  )

  it.live("sends no colours with NO_COLOR", () =>
    on({ scenario: answer, files: { "a.txt": "abc" }, rows: 50, env: { NO_COLOR: "1" } }, async (host) => {
      host.type(`what is here?${keys.enter}`)
      await host.settled(/2\. two[^]*400 tokens/)
      assert.notMatch(host.raw().replaceAll("\u001b[0m", ""), new RegExp(String.raw`\u001b\[[\d;]*m`))
      await golden("no-color", host)
    })
  )

  it.live("Ctrl-C aborts the turn, and a second one while idle asks before it leaves", () =>
    on({ scenario: hanging }, async (host) => {
      host.type(`go${keys.enter}`)
      await host.until(/I was about to[^]*working/)
      host.type(keys.ctrl("c"))
      await host.settled(/Aborted\./)
      await golden("aborted", host)
      host.type("x")
      await host.until(/> x/)
      host.type(keys.ctrl("c"))
      await host.until(/Press Ctrl-C again to leave\./)
      assert.notInclude(host.virtual.screen().join("\n"), "> x")
      host.type(keys.ctrl("c"))
      assert.strictEqual(await host.exited, 0)
      assert.match(host.golden(), /\nResume this session with: heddle --resume SESSION-ID$/)
      assertSane(host)
    })
  )

  it.live("Ctrl-C twice within a second leaves in the middle of a turn", () =>
    on({ scenario: hanging }, async (host) => {
      host.type(`go${keys.enter}`)
      await host.until(/I was about to[^]*working/)
      host.type(keys.ctrl("c") + keys.ctrl("c"))
      assert.strictEqual(await host.exited, 0)
      await golden("left", host)
    })
  )

  it.live("Ctrl-D leaves; without a message there is nothing to resume", () =>
    on({}, async (host) => {
      host.type(keys.ctrl("d"))
      assert.strictEqual(await host.exited, 0)
      assert.notInclude(host.golden(), "Resume")
    })
  )

  it.live("SIGTERM ends with 143, stores the turn and gives the terminal back", () =>
    on({ scenario: hanging }, async (host) => {
      host.type(`go${keys.enter}`)
      await host.until(/I was about to[^]*working/)
      host.kill("SIGTERM")
      assert.strictEqual(await host.exited, 143)
      await golden("terminated", host)
      assertSane(host)
    })
  )

  it.live("steers a turn: what is typed is queued, shown, and delivered at the next step", () =>
    on(
      {
        scenario: {
          turns: [
            {
              steps: [
                { text: "Working on it." },
                { toolCall: { name: "bash", arguments: { command: "until test -e go; do sleep 0.05; done" } } }
              ]
            },
            { steps: [{ text: "Changed course." }], usage: { input: 50, output: 50 } }
          ]
        }
      },
      async (host) => {
        host.type(`begin${keys.enter}`)
        await host.until(/• bash/)
        host.type(`other way${keys.enter}`)
        await host.until(/↳ queued: other way/)
        await Bun.write(join(host.place.work, "go"), "")
        await host.settled(/Changed course\.[^]*100 tokens/)
        await golden("steering", host)
      }
    )
  )

  it.live("an abort gives queued messages back", () =>
    on({ scenario: hanging }, async (host) => {
      host.type(`go${keys.enter}`)
      await host.until(/I was about to[^]*working/)
      host.type(`also this${keys.enter}`)
      await host.until(/↳ queued: also this/)
      host.type(keys.ctrl("c"))
      await host.until(/Aborted\.\n\n> also this\n/)
    })
  )

  it.live("keeps a history over sessions, for its owner only, with keys masked", () =>
    on(
      {
        scenario: { atEnd: "repeat", turns: [{ steps: [{ text: "Yes." }] }] },
        env: { OPENAI_API_KEY: "sk-very-secret-key" }
      },
      async (host) => {
        host.type(`first of all${keys.enter}`)
        await host.settled(/Yes\.\n\n>/)
        host.type(`my key is sk-very-secret-key${keys.enter}`)
        await host.settled(/secret[^]*Yes\.\n\n>/)
        const file = join(host.place.home, ".heddle/agent/prompt-history.jsonl")
        host.type(keys.ctrl("d"))
        await host.exited
        assert.strictEqual(readFileSync(file, "utf8"), '"first of all"\n"my key is [redacted]"\n')
        assert.strictEqual(statSync(file).mode & 0o777, 0o600)
        await Effect.runPromise(
          on({ place: host.place, scenario: hanging }, async (later) => {
            later.type(keys.up + keys.up)
            await later.until(/> first of all/)
            later.type(keys.down)
            await later.until(/> my key/)
            later.type(`${keys.ctrl("r")}firs`)
            await later.until(/> first of all\n\s*search: firs/)
          })
        )
      }
    )
  )

  it.live("edits several lines: Ctrl-J, Alt-Enter, backslash, pasted text, and keys of readline", () =>
    on({ scenario: { turns: [{ steps: [{ text: "Read." }] }] } }, async (host) => {
      host.type(`zero\none\\${keys.enter}two${keys.altEnter}${keys.paste("three\r\nfo\u0007ur")}`)
      await host.until(/> zero\n {2}one\n {2}two\n {2}three\n {2}four/)
      host.type(`${keys.ctrl("a")}${keys.ctrl("k")}FOUR${keys.up}${keys.ctrl("e")}!${keys.ctrl("w")}THREE${keys.enter}`)
      await host.settled(/Read\./)
      await golden("lines", host)
    })
  )

  it.live("crashes leave the terminal sane", () =>
    on(
      {
        scenario: hanging,
        files: {
          "crash.ts":
            "export default (pi) => pi.registerCommand('crash', { handler: () => setTimeout(() => { throw new Error('boom') }, 0) })"
        },
        args: ["-e", "crash.ts"]
      },
      async (host) => {
        host.type(`/crash${keys.enter}`)
        await host.until(/boom/)
        host.type(keys.ctrl("d"))
        assert.strictEqual(await host.exited, 0)
        assertSane(host)
      }
    )
  )

  it.live("survives a resize: rows are drawn anew, once", () =>
    on(
      {
        scenario: {
          turns: [
            {
              steps: [{ text: "A fairly long answer that takes most of a row on this screen of eighty columns." }],
              usage: { input: 60, output: 40 }
            }
          ]
        }
      },
      async (host) => {
        host.type(`hello${keys.enter}`)
        await host.settled(/columns\.[^]*100 tokens/)
        host.type("typed before")
        await host.until(/> typed before/)
        host.resize(44, 20)
        await host.until(/offline\/script · context/)
        host.type(" and after")
        await host.until(/> typed before and after/)
        host.resize(90, 24)
        await host.until(/100 tokens · \$0\.00/)
        assert.strictEqual(host.virtual.text().match(/typed before/g)?.length, 1)
        assert.strictEqual(host.virtual.text().match(/offline\/script/g)?.length, 1)
        await golden("resized", host)
      }
    )
  )

  it.live("writes plain lines on a terminal that cannot move its cursor", () =>
    on({ scenario: answer, files: { "a.txt": "abc" }, env: { TERM: "dumb" }, ready: /\n>/ }, async (host) => {
      host.type("what is here?\n")
      await host.until(/two\n\n> $|two\n\n>$/)
      assert.notInclude(host.raw(), "\u001b")
      host.type("\u0004")
      assert.strictEqual(await host.exited, 0)
      await golden("dumb", host)
    }).pipe(Effect.asVoid)
  )

  it.live("SIGINT aborts as Ctrl-C does, also where the system reads the keys", () =>
    on({ scenario: pausing, env: { TERM: "dumb" }, ready: /\n>/ }, async (host) => {
      host.type("go\n")
      await host.until(/> go\n\nBegun\./)
      host.kill("SIGINT")
      await host.until(/Begun\.\n\nThen more\n\nAborted\.\n\n>/)
      host.type("\u0004")
      assert.strictEqual(await host.exited, 0)
    })
  )
})
