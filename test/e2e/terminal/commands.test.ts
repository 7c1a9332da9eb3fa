import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { golden, on } from "../../support/terminal/Sessions.ts"
import { keys, makePlace } from "../../support/terminal/TerminalHost.ts"

const yes = { atEnd: "repeat", turns: [{ steps: [{ text: "Yes." }], usage: { input: 60, output: 40 } }] }
const enter = (command: string) => command + keys.enter

describe("commands on a terminal", () => {
  it.live("/help lists commands and keys, those of templates too", () =>
    on(
      { rows: 60, files: { ".heddle/prompts/tidy.md": "---\ndescription: Tidy up\n---\nTidy up $1." } },
      async (host) => {
        host.type(enter("/help"))
        await host.settled(/attaches a file or an image/)
        await golden("help", host)
      }
    )
  )

  it.live("/model chooses by a list, by a part of the name, and says what is wrong", () =>
    on(
      { rows: 40, env: { ANTHROPIC_API_KEY: "sk-ant-not-a-real-key" }, args: ["--model", "offline/guide"] },
      async (host) => {
        host.type(enter("/model"))
        await host.until(/\? Which model\?[^]*Enter to choose/)
        assert.match(host.virtual.text(), /❯ \d+\. offline\/guide/)
        host.type(keys.down + keys.down)
        await host.until(/❯ 1\. anthropic\/\S+\n {2}2\. anthropic/)
        host.type(keys.down)
        await host.until(/\n {2}1\. anthropic\/\S+\n❯ 2\. anthropic/)
        host.type(keys.escape)
        await host.settled(/Which model\? \(cancelled\)/)
        host.type(enter("/model haiku"))
        await host.settled(/Model: anthropic\/\S*haiku/)
        host.type(enter("/model gpt"))
        await host.settled(/There is no API key for openai\. Set OPENAI_API_KEY, or run: heddle auth set/)
        host.type(enter("/model nope"))
        await host.settled(/No model matches "nope"/)
        host.type(enter("/thinking high"))
        await host.settled(/Thinking: high[^]*thinking high ·/)
        host.type(enter("/thinking"))
        await host.until(/How hard[^]*\n❯ \d\. high/)
        host.type(keys.up + keys.enter)
        await host.settled(/Thinking: medium[^]*thinking medium ·/)
        host.type(enter("/model"))
        await host.until(/❯ \d+\. anthropic\/\S*haiku/)
        host.type(keys.escape)
        await host.settled(/Which model\? \(cancelled\)[^]*Which model\? \(cancelled\)/)
        host.type(enter("/thinking enormous"))
        await host.settled(/There is no level "enormous"/)
      }
    )
  )

  it.live("an unknown command is refused and cleared, and never sent to the model; a path is", () =>
    on({ scenario: yes }, async (host) => {
      host.type(enter("/nope"))
      await host.settled(/There is no command \/nope\. \/help lists/)
      assert.match(host.virtual.text(), /^>$/m)
      host.type(enter(" /nöpe! with words") + enter("/tools"))
      await host.settled(/There is no command \/nöpe!\.[^]*bash +Run/)
      host.type(enter("/etc/hosts exists?"))
      await host.settled(/> \/etc\/hosts exists\?\n\nYes\./)
      assert.strictEqual(host.virtual.text().match(/^Yes\./gm)?.length, 1)
      host.type(keys.up + keys.up + keys.up)
      await host.until(/> {2}\/nöpe! with words/)
    })
  )

  it.live("each failure of a compaction, and of a model call that is tried again, is told once", () => {
    const fails = { steps: [{ fail: { reason: "server", message: "The server is on fire." } }] }
    const refuses = { steps: [{ fail: { reason: "invalid_request", message: "No summary today" } }] }
    const turns = [fails, ...yes.turns, ...yes.turns, refuses]
    const args = ["--set", "retry.baseDelayMs=1", "--set", "compaction.keepRecentTokens=1"]
    return on({ scenario: { turns, atEnd: "stay" }, rows: 40, args }, async (host) => {
      const count = (pattern: RegExp) => host.virtual.text().match(pattern)?.length ?? 0
      host.type(enter("/compact"))
      await host.settled(/Nothing to compact/)
      host.type(enter("hello"))
      await host.settled(/Yes\.[^]*100 tokens/)
      assert.match(host.virtual.text(), /The server is on fire\. Trying again in 1 s \(1 of \d+\)\./)
      host.type(enter("again"))
      await host.settled(/again\n\nYes\.[^]*200 tokens/)
      host.type(enter("/compact"))
      await host.settled(/No summary today/)
      host.type(enter("/name end"))
      await host.settled(/called "end"/)
      assert.deepStrictEqual(
        [count(/[Nn]othing to compact/g), count(/server is on fire/g), count(/No summary today/g)],
        [1, 1, 1]
      )
    })
  })

  it.live("/sessions, /new, /name, /resume: sessions are stored, listed, left and opened again", () =>
    on({ scenario: yes, rows: 60 }, async (host) => {
      host.type(enter("the first one"))
      await host.settled(/Yes\.[^]*100 tokens/)
      host.type(enter("/name garden"))
      await host.settled(/called "garden"/)
      host.type(enter("/new"))
      await host.settled(/Session [0-9a-f-]{36}[^]* 0 tokens/)
      host.type(enter("the second one"))
      await host.settled(/second one\n\nYes\.[^]*100 tokens/)
      host.type(enter("/sessions"))
      await host.settled(/Open one with \/resume/)
      assert.match(
        host.virtual.text(),
        / 1 {2}\S+ \S+ {2}the second one \(2 messages\)\n +2 {2}\S+ \S+ {2}garden \(2 messages\)/
      )
      host.type(enter("/resume 2"))
      await host.settled(/Session [0-9a-f-]{36}\n\n> the first one\n\nYes\.\n/)
      host.type(keys.ctrl("d"))
      await host.exited
      const [, id = ""] = /heddle --resume (\S+)$/.exec(host.virtual.text()) ?? []
      await Effect.runPromise(
        on({ place: host.place, scenario: yes, args: ["--resume", id.slice(0, 18)] }, async (later) => {
          await later.until(/> the first one\n\nYes\./)
        })
      )
      await Effect.runPromise(
        on({ place: host.place, scenario: yes, args: ["--resume"] }, async (later) => {
          await later.until(/Which session\?[^]*the second one[^]*garden/)
          later.type("2")
          await later.until(/> the first one\n\nYes\./)
        })
      )
    })
  )

  it.live("/cost, /tools, /export, /compact", () =>
    on({ scenario: yes, rows: 60 }, async (host) => {
      host.type(enter("hello"))
      await host.settled(/Yes\.[^]*100 tokens/)
      host.type(enter("/cost"))
      await host.settled(/Output +40 tokens/)
      host.type(enter("/tools"))
      await host.settled(/bash +Run/)
      host.type(enter("/export page.html"))
      await host.settled(/Wrote \S+page\.html/)
      assert.match(readFileSync(join(host.place.work, "page.html"), "utf8"), /<!doctype html>/i)
      host.type(enter("/compact"))
      await host.settled(/[Nn]othing to compact|too small/)
      host.type(enter("/quit"))
      assert.strictEqual(await host.exited, 0)
    })
  )

  it.live("Tab completes commands, arguments and files; @file is attached", () =>
    on(
      {
        scenario: yes,
        files: { "src/alpha.ts": "export const alpha = 1", "src/alps.txt": "Eiger", "src/my file.txt": "x" },
        rows: 40
      },
      async (host) => {
        host.type(`/thi${keys.tab}`)
        await host.until(/> \/thinking/)
        host.type(`${keys.ctrl("u")}/model offline/g${keys.tab}`)
        await host.until(/> \/model offline\/guide/)
        host.type(`${keys.ctrl("u")}look at @s${keys.tab}`)
        await host.until(/> look at @src\/\n/)
        host.type(`al${keys.tab}`)
        await host.until(/@src\/alp\n +src\/alpha\.ts\n +src\/alps\.txt/)
        await golden("completion", host)
        host.type(keys.tab + keys.tab)
        await host.until(/@src\/alps\.txt/)
        host.type(`and @src/m${keys.tab}`)
        await host.until(/and @"src\/my file\.txt"/)
        host.type(enter("and @nope.md"))
        await host.settled(/with 2 files[^]*Yes\./)
        assert.match(host.virtual.text(), /@nope\.md is sent as text: there is no such file\./)
      }
    )
  )

  it.live("a start with a wrong option says what to do, and leaves the terminal alone", () =>
    on({ args: ["--model", "no-such-model"], ready: /Error/ }, async (host) => {
      assert.strictEqual(await host.exited, 1)
      assert.match(
        host.virtual.text(),
        /Error: No model matches "no-such-model"\. Known models: offline\/guide, [^;]*; without a key: anthropic\//
      )
      assert.notInclude(host.virtual.text(), "{")
    })
  )

  it.live("a model without a key: the prompt comes back with the fix", () =>
    on({ args: ["--model", "anthropic/claude-haiku-4-5"], ready: /anthropic\/\S+ ·/ }, async (host) => {
      host.type(enter("hello"))
      await host.settled(
        /There is no API key for anthropic\. Set ANTHROPIC_API_KEY, or run: heddle auth\s+set anthropic, or choose another model with \/model\.[^]*> hello/
      )
    })
  )

  it.live("starts where nothing can be stored", () =>
    Effect.gen(function* () {
      const place = makePlace()
      yield* on({ place, args: ["--no-session"], scenario: yes }, async (host) => {
        host.type(enter("hello"))
        await host.settled(/Yes\./)
        host.type(keys.ctrl("d"))
        assert.strictEqual(await host.exited, 0)
        assert.notInclude(host.virtual.text(), "Resume")
      })
    })
  )
})
