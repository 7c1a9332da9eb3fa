/** Entries of every kind and in every condition, and how each reads on the page when all is open. */
import { png } from "../../../support/sessions/SampleSessions.ts"

type Entry = Readonly<Record<string, unknown>>

const message = (role: string, more: object): Entry => ({ type: "message", message: { role, ...more } })
const user = (content: unknown) => message("user", { content })
const assistant = (content: unknown, more: object = {}) => message("assistant", { content, ...more })
const tool = (name: string, args: unknown, id = name) => assistant([{ type: "toolCall", id, name, arguments: args }])
const result = (id: string, text: string, more: object = {}) =>
  message("toolResult", { toolCallId: id, toolName: id, content: text === "" ? [] : [{ type: "text", text }], ...more })
const bash = (more: object) => message("bashExecution", { command: "make", output: "", ...more })

/** Expected text of an entry; none where it shows inside another. */
export const renderings: ReadonlyArray<readonly [why: string, entry: Entry, expected?: string]> = [
  ["text as it was in old files", user("plain *words*"), "plain words"],
  ["nothing said", user([]), ""],
  ["an image alone", user([{ type: "image", data: png, mimeType: "image/png" }]), ""],
  [
    "an image of another kind",
    user([{ type: "image", data: "AAAA", mimeType: "image/tiff" }]),
    "Image that cannot be shown (image/tiff, 3 characters)"
  ],
  ["line breaks of a person", user("one\ntwo"), "one two"],
  ["tasks", user("- [x] done\n- [ ] open"), "☑ done ☐ open"],
  ["a link into the project", user("see [it](src/a.ts)"), "see [it](src/a.ts)"],
  ["an image of another place", user("![logo](https://example.com/a.png)"), "Image: logo"],
  ["an empty answer", assistant([]), "Empty answer"],
  ["aborted", assistant([{ type: "text", text: "Half" }], { stopReason: "aborted" }), "Half Aborted"],
  [
    "cut off",
    assistant([{ type: "text", text: "Long" }], { stopReason: "length" }),
    "Long Cut off at the length limit"
  ],
  ["failed", assistant([], { stopReason: "error", errorMessage: "503" }), "The model call failed 503"],
  [
    "hidden thinking",
    assistant([{ type: "thinking", thinking: "", redacted: true }]),
    "Thinking, kept hidden by the provider"
  ],
  ["a block of the future", assistant([{ type: "dance" }]), 'Block of type dance { "type": "dance" }'],
  [
    "a call without a result",
    tool("grep", { pattern: "x", path: "src" }, "lost"),
    'grep x in src no result Arguments { "pattern": "x", "path": "src" } Output No result was recorded.'
  ],
  ["a call without arguments", tool("ls", {}), "ls Output No output."],
  ["and its empty result", result("ls", "")],
  ["a command", tool("bash", { command: "make\ntest" }), "bash make test failed Command make test Output boom"],
  ["and its failure", result("bash", "boom", { isError: true })],
  [
    "a file written",
    tool("write", { path: "a.ts", content: "let a = 1" }),
    "write a.ts 1 line a.ts let a = 1 Wrote 9 bytes"
  ],
  ["and what was said of it", result("write", "Wrote 9 bytes")],
  [
    "an edit without a stored difference",
    tool("edit", { path: "a.ts", oldText: "a", newText: "b\nc" }),
    "edit a.ts +2 −1 a.ts − a + b + c Done"
  ],
  ["and its result", result("edit", "Done")],
  [
    "several edits, in other spelling",
    tool("edit", { file_path: "b.ts", edits: [{ old_string: "x", new_string: "y" }] }, "many"),
    "edit b.ts +1 −1 b.ts − x + y Done"
  ],
  ["and their result", result("many", "Done")],
  [
    "an edit that failed",
    tool("edit", { path: "c.ts", oldText: "q", newText: "r" }, "bad"),
    'edit c.ts failed Arguments { "path": "c.ts", "oldText": "q", "newText": "r" } Output Not found'
  ],
  ["and why", result("bad", "Not found", { isError: true })],
  ["a difference with numbers", tool("patch", { path: "d.ts" }, "pi"), "patch d.ts +1 −1 d.ts 7 − old 7 + new ok"],
  ["and where it was stored", result("pi", "ok", { details: { diff: "-7 old\n+7 new" } })],
  [
    "an unknown tool",
    tool("host_thing", { deep: { a: [1] } }),
    'host_thing { "a": [ 1 ] } Arguments { "deep": { "a": [ 1 ] } } Output No output.'
  ],
  [
    "with an image",
    message("toolResult", { toolCallId: "host_thing", content: [{ type: "image", data: png, mimeType: "image/png" }] })
  ],
  [
    "tasks that ended in different ways",
    tool("task", { agent: "worker", context: "All", tasks: [{ id: "a" }, { id: "b" }] }, "tasks"),
    "task worker: a, b 1 of 2 completed Context of all tasks All All" +
      " a worker completed verification passed after a repair 1 min 1 s · 1.2K tokens · $0.010 First Moved it" +
      ' Data { "n": 1 } { "n": 1 } Verification 2 attempts, 2 checks' +
      " Attempt 1: failed types tsc exit code 2 · 4 s TS2304 Attempt 2: passed types tsc passed · 1 s" +
      " Assignment Move it Move it Patch: /p/a.patch" +
      " b scout aborted 2 s Stopped No output. Report to the model 1 line 1/2 succeeded"
  ],
  [
    "and their results",
    result("tasks", "1/2 succeeded", {
      details: {
        results: [
          {
            id: "a",
            agent: "worker",
            description: "First",
            exitCode: 0,
            output: "Moved *it*",
            assignment: "Move it",
            durationMs: 61_000,
            tokens: 1200,
            usage: { cost: { total: 0.01 } },
            data: { n: 1 },
            patchPath: "/p/a.patch",
            verification: {
              status: "passed",
              retriesUsed: 1,
              attempts: [
                {
                  attempt: 1,
                  status: "failed",
                  commandResults: [
                    { name: "types", command: "tsc", exitCode: 2, durationMs: 4000, outputPreview: "TS2304" }
                  ]
                },
                {
                  attempt: 2,
                  status: "passed",
                  commandResults: [{ name: "types", command: "tsc", exitCode: 0, durationMs: 1000 }]
                }
              ]
            }
          },
          {
            id: "b",
            agent: "scout",
            exitCode: 1,
            output: "",
            aborted: true,
            abortReason: "Stopped",
            durationMs: 2000,
            verification: { status: "not_requested", attempts: [] }
          }
        ]
      }
    })
  ],
  [
    "tasks of which nothing was recorded",
    tool("task", { agent: "worker", tasks: [{ id: "a", description: "First", assignment: "Move it" }] }, "unfinished"),
    "task worker: a no result a worker no result First Assignment Move it Move it"
  ],
  [
    "tasks that were refused",
    tool("task", { agent: "nobody", tasks: [{ id: "a" }] }, "refused"),
    'task nobody: a failed a nobody no result Unknown agent "nobody".'
  ],
  ["and why they were", result("refused", 'Unknown agent "nobody".', { isError: true, details: { results: [] } })],
  ["a result without its call", result("nobody", "found"), "nobody 1 line Output found"],
  ["a command of the person", bash({ output: "ok\n", exitCode: 0 }), "make Output 1 line ok"],
  ["that failed", bash({ exitCode: 2 }), "make No output. exit code 2"],
  ["that was stopped", bash({ cancelled: true }), "make No output. cancelled"],
  ["of an extension", { type: "custom_message", customType: "ext", content: "Hi", display: true }, "Hi"],
  [
    "of an extension, hidden",
    { type: "custom_message", customType: "ext", content: "Psst", display: false },
    "ext not shown to the person, part of the conversation Psst"
  ],
  [
    "of xcsh, hidden",
    message("developer", { content: "Rule" }),
    "Hidden message not shown to the person, part of the conversation Rule"
  ],
  ["of old files", message("hookMessage", { content: "Hook" }), "Hook"],
  [
    "a compaction",
    { type: "compaction", summary: "**S**", tokensBefore: 2000 },
    "Summary of earlier messages 2K tokens before S"
  ],
  ["a branch that was left", { type: "branch_summary", summary: "B" }, "Summary of another branch B"],
  ["as messages", message("compactionSummary", { summary: "C", tokensBefore: 0 }), "Summary of earlier messages C"],
  ["a model", { type: "model_change", provider: "p", modelId: "m" }, "Model: p/m"],
  ["a model, as xcsh writes it", { type: "model_change", model: "p/m" }, "Model: p/m"],
  ["a level", { type: "thinking_level_change", thinkingLevel: "high" }, "Thinking: high"],
  ["a name", { type: "session_info", name: "N" }, "Session named “N”"],
  ["a label", { type: "label", targetId: "x", label: "L" }],
  ["usage", { type: "usage", usage: { input: 5 } }],
  [
    "something of another program",
    { type: "mode_change", mode: "plan" },
    'Entry of type mode_change { "type": "mode_change", "mode": "plan" }'
  ],
  [
    "a role of the future",
    message("martian", {}),
    'Entry of type message { "type": "message", "message": { "role": "martian" } }'
  ]
]
