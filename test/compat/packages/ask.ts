import { at } from "../host/Frames.ts"
import { type Package, same } from "../Package.ts"
import type { Session } from "../host/Session.ts"

const options = [
  { value: "pg", label: "PostgreSQL" },
  { value: "lite", label: "SQLite" }
]

const askWhich = (session: Session) =>
  session.call("hyperpi_ask", { questions: [{ id: "db", prompt: "Which database?", options }] })

export const ask: Package = {
  source: { npm: "@hyperprior/pi-ask@0.1.0", entries: ["extensions"] },
  behaviours: [
    {
      title: "hyperpi_ask → a select dialog with the labels and an answer of one's own; reply → answers and text",
      check: async (session) => {
        const result = askWhich(session)
        const dialog = await session.dialog("select")
        same(dialog.title, "Which database?", "the title of the dialog")
        same(dialog.options, ["PostgreSQL", "SQLite", "Type your own answer..."], "the list of options")
        dialog.answer({ value: "SQLite" })
        const { details, text } = await result
        same([text, at(details, "answers", 0, "value")], ["Answered 1 question(s).", "lite"], "the result")
      }
    }
  ]
}
