import { assert, describe, it } from "@effect/vitest"
import { golden, on } from "../../support/terminal/Sessions.ts"
import { keys } from "../../support/terminal/TerminalHost.ts"

const extension = `export default (pi) => {
  const command = (name, run) => pi.registerCommand(name, { handler: async (_, ctx) => ctx.ui.notify(name + ": " + JSON.stringify(await run(ctx.ui)), "info") })
  command("pick", (ui) => ui.select("Which fruit?", ["apple", "pear"]))
  command("sure", (ui) => ui.confirm("Delete it?", "There is no way back."))
  command("word", (ui) => ui.input("A word?", "such as this"))
  command("text", (ui) => ui.editor("Edit this", "old text"))
  command("brief", (ui) => ui.select("Quick?", ["a", "b"], { timeout: 300 }))
  command("state", async (ui) => { ui.setStatus("x", "building"); ui.setWidget("w", ["a row\\u001b[2J of an extension"]); console.log("printed by an extension"); return 1 })
}`
const withExtension = { files: { "ask.ts": extension }, args: ["-e", "ask.ts"], rows: 40 }

const asking = {
  turns: [
    {
      steps: [
        { text: "I have to ask." },
        {
          toolCall: {
            name: "ask",
            arguments: {
              questions: [{ id: "colour", question: "Which colour?", options: [{ label: "red" }, { label: "blue" }] }]
            }
          }
        }
      ]
    },
    { steps: [{ text: "Blue it is." }], usage: { input: 60, output: 40 } }
  ]
}

const ofProject = `export default (pi) => pi.registerCommand("hey", { handler: (_, ctx) => ctx.ui.notify("Hey there.") })`
const untrusted = { files: { ".pi/extensions/hey.ts": ofProject }, rows: 40 }

describe("the question about a project", () => {
  it.live("comes before the notice of what was left out, which follows a no", () =>
    on(untrusted, async (host) => {
      const asked = await host.until(/Trust this project\?[^]*Extensions: \.pi\/extensions\/hey\.ts\./)
      assert.notInclude(asked, "were left out")
      host.type("n")
      const said = await host.until(/were left out: \.pi\/extensions\./)
      assert.isBelow(said.indexOf("Trust this project? no"), said.indexOf("were left out"))
    })
  )

  it.live("is followed by the extensions after a yes", () =>
    on(untrusted, async (host) => {
      await host.until(/y for yes/)
      host.type("y")
      const said = await host.until(/its extensions load/)
      assert.notInclude(said, "were left out")
      host.type(`/hey${keys.enter}`)
      await host.settled(/Hey there\./)
    })
  )
})

describe("questions on a terminal", () => {
  it.live("a question of the model takes the place of the prompt, which keeps its text", () =>
    on({ scenario: asking }, async (host) => {
      host.type(`begin${keys.enter}`)
      await host.until(/Which colour\?[^]*Esc to cancel/)
      await golden("question", host)
      host.type("2")
      await host.settled(/Blue it is\.[^]*100 tokens/)
      await golden("answered", host)
    })
  )

  it.live("select, confirm, input and editor of extensions", () =>
    on(withExtension, async (host) => {
      host.type(`/pick${keys.enter}`)
      await host.until(/❯ 1\. apple/)
      host.type(`${keys.down}${keys.enter}`)
      await host.settled(/pick: "pear"/)
      host.type(`/sure${keys.enter}`)
      await host.until(/There is no way back\./)
      host.type("y")
      await host.settled(/sure: true/)
      host.type(`/sure${keys.enter}`)
      await host.until(/Delete it\?\n {2}There/)
      host.type(keys.enter)
      await host.settled(/sure: false/)
      host.type(`/word${keys.enter}`)
      await host.until(/\? A word\?\n {2}> such as this\n/)
      host.type("h")
      await host.until(/\? A word\?\n {2}> h\n/)
      host.type(`eddle${keys.enter}`)
      await host.settled(/word: "heddle"/)
      host.type(`/text${keys.enter}`)
      await host.until(/> old text/)
      host.type(`${keys.ctrl("u")}new${keys.altEnter}text${keys.enter}`)
      await host.settled(/text: "new\\ntext"/)
      host.type(`/pick${keys.enter}`)
      await host.until(/❯ 1\. apple/)
      host.type(keys.escape)
      await host.settled(/Which fruit\? \(cancelled\)/)
    })
  )

  it.live("a question that nobody answers in time is withdrawn", () =>
    on(withExtension, async (host) => {
      host.type(`/brief${keys.enter}`)
      await host.until(/❯ 1\. a/)
      await host.settled(/Quick\? \(withdrawn\)[^]*brief:/)
      assert.match(host.virtual.text(), /\n>\n/)
    })
  )

  it.live("states, widgets and prints of extensions are shown, and cannot tear the screen", () =>
    on(withExtension, async (host) => {
      host.type(`/state${keys.enter}`)
      await host.settled(/state: 1[^]*building/)
      await golden("extension", host)
    })
  )

  it.live("Ctrl-C in a question aborts the turn that asks", () =>
    on({ scenario: asking }, async (host) => {
      host.type(`begin${keys.enter}`)
      await host.until(/Which colour\?[^]*Esc to cancel/)
      host.type(keys.ctrl("c"))
      await host.settled(/Which colour\? \((?:cancelled|withdrawn)\)[^]*\n>/)
      assert.notInclude(host.virtual.text(), "Blue it is.")
    })
  )
})
