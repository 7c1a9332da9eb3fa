/** Sessions to export: one as people have them, one that is out for trouble, one that is very long. */
import type { AssistantMessage } from "../../../src/domain/conversation/Message.ts"
import type { SessionEntry, SessionHeader } from "../../../src/domain/session/SessionEntry.ts"
import * as Usage from "../../../src/domain/model/Usage.ts"
import type { Document } from "../../../src/layers/storage/export/Document.ts"

const start = Date.parse("2026-03-04T09:15:00.000Z")

export const header: SessionHeader = {
  type: "session",
  version: 3,
  id: "0195a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
  timestamp: "2026-03-04T09:15:00.000Z",
  cwd: "/home/ada/loom"
}

type Content = AssistantMessage["content"]
const prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }

/** Appends entries as a session does; `at` moves back to an entry to branch off. */
export const builder = () => {
  const entries: Array<SessionEntry> = []
  let [leaf, now]: [string | null, number] = [null, start]
  const place = () => ({
    id: (0xa0000000 + entries.length).toString(16),
    parentId: leaf,
    timestamp: new Date(now).toISOString()
  })
  const add = (entry: SessionEntry) => {
    entries.push(entry)
    leaf = entry.id
    return entry.id
  }
  const wait = (millis: number) => {
    now += millis
  }
  const user = (text: string, ...images: ReadonlyArray<{ readonly data: string; readonly mimeType: string }>) =>
    add({
      type: "message",
      message: {
        role: "user",
        content: [{ type: "text", text }, ...images.map((image) => ({ type: "image" as const, ...image }))],
        timestamp: now
      },
      ...place()
    })
  const assistant = (
    content: Content,
    tokens: Usage.Tokens = Usage.zeroTokens,
    more: Partial<AssistantMessage> = {}
  ) => {
    wait(4200)
    const calls = content.some((block) => block.type === "toolCall")
    return add({
      type: "message",
      message: {
        role: "assistant",
        content,
        api: "anthropic-messages",
        provider: "anthropic",
        model: "claude-sonnet-4-5",
        usage: Usage.make(tokens, prices),
        stopReason: calls ? "toolUse" : "stop",
        timestamp: now,
        ...more
      },
      ...place()
    })
  }
  const result = (toolCallId: string, toolName: string, text: string, more: object = {}) => {
    wait(900)
    return add({
      type: "message",
      message: {
        role: "toolResult",
        toolCallId,
        toolName,
        content: [{ type: "text", text }],
        isError: false,
        timestamp: now,
        ...more
      },
      ...place()
    })
  }
  return {
    entries,
    add,
    place,
    wait,
    user,
    assistant,
    result,
    at: (id: string) => {
      leaf = id
    },
    leaf: () => leaf
  }
}

const tools = [
  { name: "read", description: "Read a file." },
  { name: "bash", description: "Run a shell command." },
  { name: "edit", description: "Replace text in a file." }
]

export const document = (entries: ReadonlyArray<SessionEntry>): Document => ({
  header,
  entries,
  leafId: entries.at(-1)?.id ?? null,
  systemPrompt: "You are heddle, a coding agent that works in a user's project through tools.",
  tools
})

/** A red square of 16 by 16. */
export const png =
  "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR4nGP4z8BAEiJN9aiGUQ3DSgMAHC4B/0Z8C4AAAAAASUVORK5CYII="

const code = `export const clamp = (value: number, low: number, high: number): number =>
  Math.min(high, Math.max(low, value))`

const answer = `The warp is **off by one**: \`thread(i)\` counts from 1, but \`weave\` hands it indices from 0.

## What I changed

1. \`weave\` now passes \`i + 1\`.
2. A test covers the *first* and the *last* thread.

\`\`\`ts
${code}
\`\`\`

| Case | Before | After |
| --- | ---: | ---: |
| first thread | 0 | 1 |
| last thread | 98 | 99 |

> The pattern file was fine all along.

More in [the manual](https://example.com/weaving).`

const diff = `@@ -12,7 +12,8 @@
 export const weave = (pattern: Pattern): Cloth => {
   const cloth: Array<Row> = []
   for (let i = 0; i < pattern.threads; i++) {
-    cloth.push(thread(i))
+    // Threads are counted from 1.
+    cloth.push(thread(i + 1))
   }
   return { rows: cloth }
 }
`

/** Everything a session can hold, once. */
export const rich = (): Document => {
  const s = builder()
  s.user("The cloth comes out one thread short. Can you find out why?\n\nIt happens with every pattern.", {
    data: png,
    mimeType: "image/png"
  })
  s.assistant(
    [
      {
        type: "thinking",
        thinking: `The loop is the first suspect. ${"I should read weave.ts before I guess. ".repeat(4)}That is all.`
      },
      { type: "text", text: "I will look at the loop first." },
      { type: "toolCall", id: "c1", name: "read", arguments: { path: "src/weave.ts" } },
      { type: "toolCall", id: "c2", name: "bash", arguments: { command: "npm test -- weave 2>&1 | tail -5" } }
    ],
    { input: 1200, output: 310, cacheRead: 0, cacheWrite: 5200 }
  )
  s.result("c1", "read", "export const weave = (pattern: Pattern): Cloth => {\n  const cloth: Array<Row> = []\n}")
  s.result("c2", "bash", "FAIL  weave.test.ts\nexpected 99 rows, got 98\n\nCommand exited with code 1", {
    isError: true
  })
  s.assistant(
    [
      {
        type: "toolCall",
        id: "c3",
        name: "edit",
        arguments: { path: "src/weave.ts", oldText: "thread(i)", newText: "thread(i + 1)" }
      }
    ],
    { input: 420, output: 180, cacheRead: 6400, cacheWrite: 900 }
  )
  s.result("c3", "edit", "Replaced 1 occurrence in src/weave.ts", { details: { diff, firstChangedLine: 15 } })
  const fork = s.assistant([{ type: "text", text: answer }], {
    input: 300,
    output: 640,
    cacheRead: 7500,
    cacheWrite: 400
  })
  s.wait(60_000)
  s.user("Actually, make thread() count from 0 instead.")
  s.assistant([{ type: "text", text: "That touches eleven callers. Shall I go on?" }], {
    input: 900,
    output: 90,
    cacheRead: 8000,
    cacheWrite: 0
  })
  s.at(fork)
  s.wait(30 * 60_000)
  s.user("Good. Now add a `clamp` so that nobody passes a wrong index again.")
  s.add({ type: "model_change", provider: "anthropic", modelId: "claude-opus-4-5", ...s.place() })
  const labelled = s.assistant(
    [{ type: "text", text: "Done: `clamp` is in `src/math.ts` and used in two places." }],
    {
      input: 800,
      output: 420,
      cacheRead: 8200,
      cacheWrite: 700
    },
    { model: "claude-opus-4-5" }
  )
  s.add({ type: "label", targetId: labelled, label: "checkpoint", ...s.place() })
  s.add({
    type: "message",
    message: {
      role: "bashExecution",
      command: "git diff --stat",
      output: " src/math.ts  | 3 +++\n src/weave.ts | 2 +-\n",
      exitCode: 0,
      cancelled: false,
      truncated: false,
      timestamp: start
    },
    ...s.place()
  })
  s.add({
    type: "compaction",
    summary: "## Goal\nFix the missing thread.\n\n## Done\n- `weave` counts right",
    firstKeptEntryId: fork,
    tokensBefore: 152_340,
    ...s.place()
  })
  s.user("Thanks! Commit it.")
  s.assistant(
    [],
    { input: 100, output: 0, cacheRead: 0, cacheWrite: 0 },
    {
      stopReason: "error",
      errorMessage: "529 overloaded_error"
    }
  )
  s.assistant([{ type: "text", text: "Committed as `weave: threads are counted from 1`." }], {
    input: 1100,
    output: 120,
    cacheRead: 2400,
    cacheWrite: 0
  })
  s.add({ type: "session_info", name: "The missing thread", ...s.place() })
  return document(s.entries)
}

export const long = (messages: number): Document => {
  const s = builder()
  for (let i = 0; s.entries.length < messages; i++) {
    s.wait(20_000)
    s.user(`Question ${i}: what does part ${i % 97} do?`)
    s.assistant(
      [
        { type: "text", text: `I will read part ${i}.` },
        { type: "toolCall", id: `c${i}`, name: "read", arguments: { path: `src/part${i}.ts` } }
      ],
      { input: 900 + (i % 50) * 20, output: 60, cacheRead: i * 10, cacheWrite: 100 }
    )
    s.result(`c${i}`, "read", `${code}\n`.repeat(12))
    s.assistant([{ type: "text", text: `${answer}\n\nNeedle ${i} is in the haystack.` }], {
      input: 1000,
      output: 400 + (i % 30) * 10,
      cacheRead: i * 10,
      cacheWrite: 300
    })
  }
  return document(s.entries.slice(0, messages))
}

/** Each of these would set `window.pwned` or open a dialog if anything ran it. */
export const attacks = [
  `<script>window.pwned=1;alert(1)</script>`,
  `</script><script>window.pwned=2</script>`,
  `<img src=x onerror="window.pwned=3">`,
  `<svg onload=window.pwned=4><animate onbegin=alert(4)></svg>`,
  `<iframe srcdoc="<script>parent.pwned=5</script>"></iframe>`,
  `<a href="javascript:window.pwned=6" onclick="window.pwned=6">press</a>`,
  `[press](javascript:window.pwned=7)`,
  `[press](data:text/html,<script>window.pwned=8</script>)`,
  `![x](x" onerror="window.pwned=9)`,
  `<style>@import "https://example.com/x.css"</style>`,
  `<link rel=stylesheet href="https://example.com/x.css">`,
  `<form id=body name=createElement><input name=querySelector></form>`,
  `--><!-- <base href="https://example.com/">`,
  `]]><x onfocus=alert(14) autofocus tabindex=0>`,
  `"><meta http-equiv=refresh content="0;url=https://example.com">`
]

const strange =
  "\u202Egnp.exe\u202C \u2066isolate\u2069 \u0000nul \u2028line \u2029paragraph \uFEFFbom \uD800 lone \u{1F469}\u200D\u{1F4BB} e\u0301"

/** Attacks wherever a text can stand. */
export const hostile = (): Document => {
  const s = builder()
  const all = attacks.join("\n\n")
  const [script = ""] = attacks
  s.user(all, { data: png, mimeType: `image/png" onerror="alert(10)` }, { data: "PHN2Zz4=", mimeType: "image/svg+xml" })
  s.assistant([
    { type: "thinking", thinking: all },
    { type: "text", text: `${all}\n\n\`\`\`${attacks[2]}\n${all}\n\`\`\`\n\n| ${script} |\n| --- |\n| ${script} |` },
    { type: "toolCall", id: script, name: script, arguments: { [script]: all, __proto__: script, path: script } },
    { type: "toolCall", id: "big", name: "bash", arguments: { command: all } },
    { type: "toolCall", id: "diff", name: "edit", arguments: { path: `${script}.ts` } },
    { type: "toolCall", id: "tasks", name: "task", arguments: { agent: script, context: all, tasks: [{ id: script }] } }
  ])
  s.result(script, script, all, { isError: true })
  s.result(
    "big",
    "bash",
    `${all}\n${"output ".repeat(6)}${"x".repeat(70)}\n`.repeat(1) + `${"y".repeat(99)}\n`.repeat(52_000)
  )
  s.result("diff", "edit", all, { details: { diff: `@@ -1 +1 @@\n-${script}\n+${attacks[2]}\n` } })
  const checked = { name: script, command: all, exitCode: 1, durationMs: script, outputPreview: all }
  const attempts = [{ attempt: 1, status: script, error: all, commandResults: [checked, script] }]
  const verification = { status: script, attempts }
  const task = {
    id: script,
    agent: script,
    description: all,
    output: all,
    error: all,
    task: all,
    data: [all],
    verification
  }
  s.result("tasks", "task", all, { details: { results: [{ ...task, exitCode: 1, branchName: script }, script] } })
  s.user(`${strange}\n\n${">".repeat(20_000)} deep\n\n${"[".repeat(5000)}\n\n${"*a ".repeat(3000)}`)
  s.assistant(
    [{ type: "text", text: "![remote](https://example.com/pixel.png) [web](https://example.com/)" }],
    undefined,
    {
      model: script,
      stopReason: "error",
      errorMessage: all
    }
  )
  s.add({ type: "model_change", provider: script, modelId: script, ...s.place() })
  s.add({ type: "custom_message", customType: script, content: all, display: true, ...s.place() })
  s.add({ type: "compaction", summary: all, firstKeptEntryId: script, tokensBefore: 1, ...s.place() })
  const odd = { type: script, id: `"><${script}`, parentId: s.leaf(), timestamp: script, message: { role: script } }
  s.add({ type: "foreign", raw: odd, id: odd.id, parentId: odd.parentId, timestamp: script })
  s.add({ type: "label", targetId: odd.id, label: script, ...s.place() })
  s.add({ type: "session_info", name: `${script}${strange}`, ...s.place() })
  const made = document(s.entries)
  return { ...made, systemPrompt: all, tools: [{ name: script, description: all }], header: { ...header, cwd: script } }
}
