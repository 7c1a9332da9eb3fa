/** Text mode for a person: a real terminal shows the text while it streams, and what the tools do. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { makeHome } from "../command.ts"

const home = makeHome()
afterAll(home.remove)

/** Starts heddle at a terminal. `until` returns when the screen has shown the text. */
const open = (args: ReadonlyArray<string>) => {
  let shown = ""
  let check = () => {}
  const decoder = new TextDecoder()
  const { cwd, env } = home.place()
  // Made by `spawn`, the terminal is the one that controls the child, so that Ctrl-C is a signal.
  const child = Bun.spawn(home.command(args), {
    cwd,
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
      { steps: [{ text: "All \u001b]0;evil\u0007done." }] }
    ]
    const { code, screen } = await open(["look", ...home.script(turns)]).ended()
    assert.strictEqual(code, 0)
    assert.match(screen, /^I look\.\n· ls \.\n· bash exit 3\n {2}bash failed: [^\n]*\n\nAll \]0;evildone\.\n$/)
  })

  it("shows text before the answer is complete; Ctrl-C aborts and exits with 130", async () => {
    const turns = [{ steps: [{ text: "The first words." }, { hang: true }] }]
    const { ended, press, until } = open(["talk", ...home.script(turns)])
    await until("The first words.")
    press("\u0003")
    assert.strictEqual((await ended()).code, 130)
  })

  it("-p without a message asks for one", async () => {
    const { code, screen } = await open(["-p"]).ended()
    assert.strictEqual(code, 1)
    assert.match(screen, /^Error: there is no message, and no terminal to ask for one\./)
  })
})
