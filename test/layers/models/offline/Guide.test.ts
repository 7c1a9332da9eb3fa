import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Option, TestClock } from "effect"
import { type OutputContent, plainText } from "../../../../src/domain/conversation/Content.ts"
import type { Message } from "../../../../src/domain/conversation/Message.ts"
import * as ContextTokens from "../../../../src/domain/compaction/ContextTokens.ts"
import * as SummaryPrompts from "../../../../src/domain/compaction/SummaryPrompts.ts"
import { userMessage } from "../../../../src/domain/conversation/Message.ts"
import type { ModelEvent } from "../../../../src/domain/model/ModelEvent.ts"
import * as AssistantDraft from "../../../../src/domain/conversation/AssistantDraft.ts"
import * as Guide from "../../../../src/layers/models/offline/Guide.ts"
import * as Offline from "../../../../src/layers/models/offline/Offline.ts"
import * as Playback from "../../../../src/layers/models/offline/Playback.ts"
import type { ModelRequest } from "../../../../src/services/model/ModelClient.ts"
import { assistant, collect, prompt, request, tool, toolResult } from "./support.ts"

type Result = string | { readonly error: string }

const eventsOf = Effect.fnUntraced(function* (asked: ModelRequest) {
  const provider = yield* Offline.make({ scenario: Option.none(), cwd: "." })
  return (yield* collect(provider.stream(asked))).events
})

const messageOf = (events: ReadonlyArray<ModelEvent>) => {
  const empty = AssistantDraft.empty(Offline.guide, 0)
  return AssistantDraft.toMessage(events.reduce((draft, event) => AssistantDraft.apply(draft, event)[0], empty))
}

const callsIn = (content: ReadonlyArray<OutputContent>) =>
  content.flatMap((block) => (block.type === "toolCall" ? [block] : []))

/** Plays a whole run against `files`; the steps are what was called, the answer is the text of the last message. */
const run = Effect.fnUntraced(function* (
  asked: string | Message,
  results: Record<string, Result>,
  overrides: Partial<ModelRequest> = {}
) {
  const messages: Array<Message> = [typeof asked === "string" ? prompt(asked) : asked]
  const steps: Array<ReadonlyArray<string>> = []
  while (steps.length < 10) {
    const message = messageOf(yield* eventsOf(request({ ...overrides, messages })))
    const calls = callsIn(message.content)
    if (calls.length === 0) {
      assert.strictEqual(message.stopReason, "stop")
      const answer = message.content.map((block) => (block.type === "text" ? block.text : "")).join("")
      assert.include(answer, "I am heddle's scripted offline model, not a language model")
      assert.include(answer, "ANTHROPIC_API_KEY or OPENAI_API_KEY")
      const [report = ""] = answer.split("\n\nI am heddle's")
      return { steps, report }
    }
    assert.strictEqual(message.stopReason, "toolUse")
    steps.push(calls.map((call) => `${call.name} ${call.arguments["path"]}`))
    messages.push(message)
    for (const { id, name, arguments: args } of calls) {
      const result = results[`${name} ${args["path"]}`] ?? { error: "unexpected call" }
      const [text, isError] = typeof result === "string" ? [result, false] : [result.error, true]
      messages.push(toolResult(id, name, text, isError))
    }
  }
  return assert.fail("the guide does not come to an end")
})

it.effect("a folder: lists, reads what is worth it side by side, reports", () =>
  Effect.gen(function* () {
    const { report, steps } = yield* run("what is in this folder?", {
      "ls .": "docs/\nsrc/\nlogo.png\nmain.py\npackage.json\nREADME.md",
      "read README.md": "# Loom\n\n```sh\nnpm\n```\n\nWeaves things\ntogether.\n\nMore.",
      "read package.json": '{ "name": "loom", "description": "Weaves", "scripts": { "build": "b", "test": "t" } }',
      "read main.py": { error: "Permission denied: main.py" }
    })
    assert.deepStrictEqual(steps, [["ls ."], ["read README.md", "read package.json", "read main.py"]])
    assert.strictEqual(
      report,
      [
        "This folder has 4 files and 2 folders.",
        "- Folders: `docs`, `src`",
        "- Files: `logo.png`, `main.py`, `package.json`, `README.md`",
        "- `README.md`: **Loom**. Weaves things together.",
        "- `package.json`: **loom**. Weaves",
        "- Could not read `main.py`: Permission denied: main.py"
      ].join("\n")
    )
  })
)

it.effect("a folder that the prompt only mentions is found in the listing", () =>
  Effect.gen(function* () {
    const { report, steps } = yield* run("Look at src, please", {
      "ls .": "src/\nREADME.md",
      "ls src": "cli.ts",
      "read src/cli.ts": "const a = 1\n\n[Showing lines 1-1 of 80. Use offset=2 to continue.]"
    })
    assert.deepStrictEqual(steps, [["ls ."], ["ls src"], ["read src/cli.ts"]])
    assert.strictEqual(
      report,
      [
        "This folder has 1 file and 1 folder.",
        "- Folders: `src`",
        "- Files: `README.md`",
        "",
        "`src` has 1 file and 0 folders.",
        "- Files: `cli.ts`",
        "- `src/cli.ts`: it starts with `const a = 1`."
      ].join("\n")
    )
  })
)

it.effect("an empty folder", () =>
  Effect.gen(function* () {
    const { report, steps } = yield* run("what is here", { "ls .": "(empty directory)" })
    assert.deepStrictEqual([steps, report], [[["ls ."]], "This folder is empty."])
  })
)

it.effect("a named file is read directly", () =>
  Effect.gen(function* () {
    const { report, steps } = yield* run("explain src/a.ts and docs/b.md", {
      "read src/a.ts": "import x\nuse(x)\n",
      "read docs/b.md": "# Bee\n\nBuzz."
    })
    assert.deepStrictEqual(steps, [["read src/a.ts", "read docs/b.md"]])
    assert.strictEqual(report, ["- `src/a.ts`: it starts with `import x`.", "- `docs/b.md`: **Bee**. Buzz."].join("\n"))
  })
)

it.effect("a named folder is listed and looked into", () =>
  Effect.gen(function* () {
    const { steps } = yield* run("what is in `lib/core/`?", {
      "ls lib/core/": "mod.rs",
      "read lib/core/mod.rs": "fn a() {}"
    })
    assert.deepStrictEqual(steps, [["ls lib/core/"], ["read lib/core/mod.rs"]])
  })
)

it.effect("a failing tool is reported plainly", () =>
  Effect.gen(function* () {
    const missing = { error: "File not found: gone.txt. Did you mean\ngone.md?" }
    const { report, steps } = yield* run("read gone.txt", { "read gone.txt": missing })
    assert.deepStrictEqual(steps, [["read gone.txt"]])
    assert.strictEqual(report, "- Could not read `gone.txt`: File not found: gone.txt. Did you mean gone.md?")
    const listing = yield* run("what is here", { "ls .": { error: "Permission denied: ." } })
    assert.strictEqual(listing.report, "- Could not list `.`: Permission denied: .")
  })
)

it.effect("a wrong guess about the kind of a path is put right", () =>
  Effect.gen(function* () {
    const folder = yield* run("look at my.app", {
      "read my.app": { error: "Cannot read my.app: it is a directory, not a regular file" },
      "ls my.app": "x/"
    })
    assert.deepStrictEqual(folder.steps, [["read my.app"], ["ls my.app"]])
    assert.strictEqual(folder.report, "`my.app` has 0 files and 1 folder.\n- Folders: `x`")
    const file = yield* run("look at bin/tool", {
      "ls bin/tool": { error: "Not a directory: bin/tool. Use read to see a file." },
      "read bin/tool": ""
    })
    assert.deepStrictEqual(file.steps, [["ls bin/tool"], ["read bin/tool"]])
    assert.strictEqual(file.report, "- `bin/tool` is empty.")
  })
)

it.effect("small talk needs no tools", () =>
  Effect.gen(function* () {
    for (const said of ["hello", "help", "who are you?"]) {
      const { report, steps } = yield* run(said, {})
      assert.deepStrictEqual(steps, [])
      assert.include(report, "I can list folders and read files")
    }
  })
)

it.effect("images are not looked at, and it says so", () =>
  Effect.gen(function* () {
    const image = { type: "image", data: "AA==", mimeType: "image/png" } as const
    const alone = yield* run(userMessage("", [image], 0), {})
    assert.deepStrictEqual(alone.steps, [])
    assert.include(alone.report, "I cannot look at images.")
    const withText = yield* run(userMessage("what is here", [image], 0), { "ls .": "(empty directory)" })
    assert.strictEqual(withText.report, "This folder is empty.\n- I cannot look at images.")
  })
)

it.effect("a tool that is not offered is named and not called", () =>
  Effect.gen(function* () {
    const none = yield* run("what is here", {}, { tools: [] })
    assert.deepStrictEqual(none.steps, [])
    assert.strictEqual(none.report, "- I would list `.`, but this session does not offer `ls`.")
    const noRead = yield* run("what is here", { "ls .": "README.md" }, { tools: [tool("ls")] })
    assert.deepStrictEqual(noRead.steps, [["ls ."]])
    assert.include(noRead.report, "I would read `README.md`, but this session does not offer `read`.")
  })
)

it.effect("a call without a result is not made again", () =>
  Effect.gen(function* () {
    const call = { type: "toolCall", id: "c", name: "ls", arguments: { path: "." } } as const
    const message = messageOf(yield* eventsOf(request({ messages: [prompt("what is here"), assistant(call)] })))
    assert.deepStrictEqual(callsIn(message.content), [])
  })
)

it.effect("the exact events of a first step with thinking, and the same ones for the same request", () =>
  Effect.gen(function* () {
    const asked = request({ messages: [prompt("hi"), assistant(), prompt("what is here")], thinkingLevel: "low" })
    const events = yield* eventsOf(asked)
    const thinking = "First I look at what the prompt is about."
    const text = "I will list what is in this folder."
    const output = thinking + text + 'ls{"path":"."}'
    const deltas = (said: string) => said.split(/(?<= )/).map((delta): ModelEvent => ({ _tag: "Delta", delta }))
    assert.deepStrictEqual(events, [
      { _tag: "ThinkingStarted" },
      ...deltas(thinking),
      { _tag: "BlockEnded" },
      { _tag: "TextStarted" },
      ...deltas(text),
      { _tag: "BlockEnded" },
      { _tag: "ToolCallStarted", id: "call_2_1_1", name: "ls" },
      ...deltas('{"path":"."}'),
      { _tag: "BlockEnded" },
      {
        _tag: "UsageReported",
        tokens: {
          input: ContextTokens.estimateAll(asked.messages),
          output: Math.ceil(output.length / 4),
          cacheRead: 0,
          cacheWrite: 0
        }
      },
      { _tag: "Finished", stopReason: "toolUse" }
    ])
    assert.deepStrictEqual(yield* eventsOf(asked), events)
  })
)

it.effect("a delay stands between words", () =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(collect(Playback.play(Guide.steps(request(), { delayMs: 10 }))))
    yield* TestClock.adjust("10 millis")
    assert.isNull(fiber.unsafePoll())
    yield* TestClock.adjust("1 hour")
    yield* Fiber.join(fiber)
  })
)

it.effect("a summary names what was asked, done and said", () =>
  Effect.gen(function* () {
    const said = '[User]: What is in src?\n\n[Assistant tool calls]: ls(path="src")\n\n[Assistant]: One file.'
    const asked = request({ messages: [prompt(said)], systemPrompt: SummaryPrompts.system })
    assert.strictEqual(
      yield* Effect.map(eventsOf(asked), (events) => plainText(messageOf(events).content)),
      '## Goal\n- What is in src?\n\n## Progress\n- ls(path="src")\n\n## Critical Context\n- One file.\n\n' +
        "Written by fixed rules, not by a language model."
    )
  })
)
