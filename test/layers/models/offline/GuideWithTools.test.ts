import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as AssistantDraft from "../../../../src/domain/conversation/AssistantDraft.ts"
import { plainText } from "../../../../src/domain/conversation/Content.ts"
import type { Message } from "../../../../src/domain/conversation/Message.ts"
import * as Offline from "../../../../src/layers/models/offline/Offline.ts"
import * as Ls from "../../../../src/layers/tools/files/Ls.ts"
import * as Read from "../../../../src/layers/tools/files/Read.ts"
import { machine } from "../../tools/RunTool.ts"
import { collect, prompt, request, temporaryFolder, toolResult } from "./support.ts"
import { context as anyCall } from "../../../support/agent/ToolCall.ts"

/** Runs the guide against the real tools, so that the two agree on what listings, notices and errors look like. */
const answer = Effect.fnUntraced(function* (cwd: string, text: string) {
  const provider = yield* Offline.make({ scenario: Option.none(), cwd })
  const tools = [Ls.make({ cwd, machine }), Read.make({ cwd, machine })]
  const messages: Array<Message> = [prompt(text)]
  for (let step = 0; step < 10; step++) {
    const asked = request({ messages, tools: tools.map(({ definition }) => definition) })
    const { events } = yield* collect(provider.stream(asked))
    const empty = AssistantDraft.empty(Offline.guide, 0)
    const draft = events.reduce((before, event) => AssistantDraft.apply(before, event)[0], empty)
    const calls = AssistantDraft.requestedCalls(draft)
    messages.push(AssistantDraft.toMessage(draft))
    if (calls.length === 0) return plainText(messages.at(-1)?.content ?? []).split("\n\nI am heddle's")[0]
    for (const { call } of calls) {
      const tool = tools.find(({ definition }) => definition.name === call.name)
      if (tool === undefined) return assert.fail(`no tool ${call.name}`)
      const context = { ...anyCall, toolCallId: call.id }
      const [result, isError] = yield* Effect.match(tool.run(call.arguments, context), {
        onFailure: ({ message }) => [message, true] as const,
        onSuccess: ({ content }) => [plainText(content), false] as const
      })
      messages.push(toolResult(call.id, call.name, result, isError))
    }
  }
  return assert.fail("the guide does not come to an end")
})

it.scoped("listings, notices and errors of the real tools are understood", () =>
  Effect.gen(function* () {
    const cwd = yield* temporaryFolder
    yield* Effect.promise(async () => {
      await mkdir(join(cwd, "src"))
      await writeFile(join(cwd, "README.md"), "# Loom\n\nWeaves.\n")
      await writeFile(join(cwd, "package.json"), '{ "name": "loom" }\n')
      await writeFile(join(cwd, "index.js"), "")
      await writeFile(join(cwd, "src", "long.ts"), "line()\n".repeat(200))
    })
    assert.strictEqual(
      yield* answer(cwd, "what is in this folder?"),
      [
        "This folder has 3 files and 1 folder.",
        "- Folders: `src`",
        "- Files: `index.js`, `package.json`, `README.md`",
        "- `README.md`: **Loom**. Weaves.",
        "- `package.json`: **loom**.",
        "- `index.js` is empty."
      ].join("\n")
    )
    assert.strictEqual(
      yield* answer(cwd, "look into src"),
      "This folder has 3 files and 1 folder.\n- Folders: `src`\n- Files: `index.js`, `package.json`, `README.md`\n\n" +
        "`src` has 1 file and 0 folders.\n- Files: `long.ts`\n- `src/long.ts`: it starts with `line()`."
    )
    assert.strictEqual(
      yield* answer(cwd, "read ./LICENSE"),
      `- Could not list \`./LICENSE\`: File not found: ${join(cwd, "LICENSE")}`
    )
    assert.strictEqual(
      yield* answer(cwd, "look at src/long.ts/x"),
      `- Could not list \`src/long.ts/x\`: File not found: ${join(cwd, "src/long.ts/x")} ` +
        `(there is no folder ${join(cwd, "src/long.ts")} to look into)`
    )
  })
)
