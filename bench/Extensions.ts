/** Folders with ten small extensions each: with a tool, a command and a handler, or with a handler of every delta. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const count = 10

const small = (n: number) => `import { Type } from "typebox"
export default function (pi) {
  const parameters = Type.Object({ text: Type.String(), times: Type.Optional(Type.Number()) })
  const execute = async (_id, { text }) => ({ content: [{ type: "text", text }], details: {} })
  pi.registerTool({ name: "tool_${n}", label: "Tool ${n}", description: "Repeats a text.", parameters, execute })
  pi.registerCommand("command-${n}", { description: "Does nothing.", handler: async () => {} })
  pi.on("session_start", (_event, ctx) => ctx.ui.setStatus("extension-${n}", "ready"))
}
`

const watching = () => `export default function (pi) {
  let characters = 0
  pi.on("message_update", ({ assistantMessageEvent: { delta = "" } }) => {
    characters += delta.length
  })
}
`

const write = (folder: string, source: (n: number) => string): string => {
  mkdirSync(folder, { recursive: true })
  for (let n = 0; n < count; n++) writeFileSync(join(folder, `extension-${n}.ts`), source(n))
  return folder
}

export const writeSmall = (parent: string) => write(join(parent, "small"), small)
export const writeWatching = (parent: string) => write(join(parent, "watching"), watching)
