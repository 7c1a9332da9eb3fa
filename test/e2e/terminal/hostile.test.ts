import { assert, describe, it } from "@effect/vitest"
import { golden, on } from "../../support/terminal/Sessions.ts"
import { keys } from "../../support/terminal/TerminalHost.ts"

/** Moves, erases, sets titles and colours, asks the terminal for answers, and writes text from right to left. */
const attack =
  "a\u001b[2Jb\u001b]0;title\u0007c\u001b]8;;http://evil\u0007link\u001b]8;;\u0007\u001b[31md\u009b5ne\u001bPq\u001b\\f\u0000\u0008\u0007g\u202eh\u001b[?1049hi\u001b[6nj\u001b]52;c;aGk=\u0007k\u007fl"
const printed = attack
  .replaceAll("\u001b", "\\033")
  .replaceAll("\u0007", "\\007")
  .replaceAll("\u0000", "")
  .replaceAll("\u009b", "\\302\\233")

describe("hostile text on a terminal", () => {
  it.live("of the model, of tools, of files and of names never reaches the terminal as it is", () =>
    on(
      {
        rows: 50,
        scenario: {
          turns: [
            {
              steps: [
                { thinking: `thought ${attack}` },
                { text: `text ${attack}\n\n\`\`\`sh\u001b[5m\ncode ${attack}\n\`\`\`\n`, chunk: 1 },
                { toolCall: { name: "bash", arguments: { command: `printf '${printed}'` } } }
              ]
            },
            { steps: [{ toolCall: { name: `no\u001b[2Jtool`, arguments: { x: attack } } }] },
            { steps: [{ fail: { reason: "invalid_request", message: `failed ${attack}` } }] }
          ]
        },
        files: { "AGENTS.md": attack }
      },
      async (host) => {
        host.type(`${keys.paste(`pasted ${attack}`)}${keys.enter}`)
        await host.until(/Allow bash\?[^]*Risk/)
        host.type("y")
        await host.settled(/failed ab/)
        await golden("hostile", host)
        const allowed = new RegExp(String.raw`\u001b\[(?:[\d;]*m|\d*[ABCJK]|\?(?:7|25|2004|2026)[hl])`, "g")
        assert.notMatch(
          host
            .raw()
            .replaceAll(allowed, "")
            .replaceAll(/[\r\n]/g, ""),
          /[\p{Cc}\u202e]/u
        )
      }
    )
  )
})
