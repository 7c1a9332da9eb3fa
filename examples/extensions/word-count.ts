/** Counts the words of a file: as a tool for the model, and as the command `/words` for the user. */
import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent"
import { Type } from "typebox"

const count = async (cwd: string, path: string, signal?: AbortSignal) => {
  const text = await readFile(resolve(cwd, path), { encoding: "utf8", ...(signal === undefined ? {} : { signal }) })
  return { words: text.match(/\S+/g)?.length ?? 0, characters: text.length }
}

const sentence = (path: string, { characters, words }: Awaited<ReturnType<typeof count>>) =>
  `${path} has ${words} words and ${characters} characters.`

export default function wordCount(pi: ExtensionAPI) {
  pi.registerTool({
    name: "word_count",
    label: "Word count",
    description: "Counts the words and characters of a text file.",
    promptSnippet: "Count the words of a file",
    parameters: Type.Object({
      path: Type.String({ description: "The file, relative to the working folder" })
    }),
    async execute(_toolCallId, { path }, signal, _onUpdate, ctx) {
      // A file that cannot be read throws: the model reads the message as the error of the call.
      const counts = await count(ctx.cwd, path, signal)
      return { content: [{ type: "text", text: sentence(path, counts) }], details: counts }
    }
  })

  pi.registerCommand("words", {
    description: "Count the words of a file",
    async handler(path, ctx) {
      if (path === "") return ctx.ui.notify("Which file? /words <path>", "warning")
      ctx.ui.notify(sentence(path, await count(ctx.cwd, path)))
    }
  })
}
