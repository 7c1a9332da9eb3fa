import { assert, describe, it } from "@effect/vitest"
import type { AgentMessage, BashExecutionMessage } from "../../../src/domain/conversation/Message.ts"
import { userMessage } from "../../../src/domain/conversation/Message.ts"
import * as ModelContext from "../../../src/domain/model/ModelContext.ts"
import { assistant, toolResult, user } from "../../support/sessions/Entries.ts"

const ran = (more: Partial<BashExecutionMessage>): BashExecutionMessage => ({
  role: "bashExecution",
  command: "ls",
  output: "",
  cancelled: false,
  truncated: false,
  timestamp: 1,
  ...more
})

const table: ReadonlyArray<readonly [Partial<BashExecutionMessage>, string]> = [
  [{ exitCode: 0, output: "a\nb\n" }, "Ran `ls`\n```\na\nb\n```"],
  [{ exitCode: 0 }, "Ran `ls`\n(no output)"],
  [{ exitCode: 2, output: "no" }, "Ran `ls`\n```\nno\n```\nCommand exited with code 2"],
  [{ cancelled: true, output: "half" }, "Ran `ls`\n```\nhalf\n```\n(command cancelled)"],
  [{ exitCode: 0, output: "```js\n1\n```\n" }, "Ran `ls`\n````\n```js\n1\n```\n````"],
  [
    { exitCode: 0, output: "end", truncated: true, fullOutputPath: "/t/1.bash.log" },
    "Ran `ls`\n```\nend\n```\n(output cut, all of it is in /t/1.bash.log)"
  ]
]

it.each(table)("%j", (more, text) => {
  assert.deepStrictEqual(ModelContext.forModel([ran(more)]), [userMessage(text, [], 1)])
})

it("leaves out what is not for models and keeps the rest in order", () => {
  const hello = userMessage("hi", [], 0)
  const messages: ReadonlyArray<AgentMessage> = [
    hello,
    ran({ excludeFromContext: true, exitCode: 0 }),
    ran({ exitCode: 0 })
  ]
  assert.deepStrictEqual(ModelContext.forModel(messages), [hello, userMessage("Ran `ls`\n(no output)", [], 1)])
})

it("tells the same each time, so that two requests can be compared", () => {
  const messages: ReadonlyArray<AgentMessage> = [
    { role: "compactionSummary", summary: "S", tokensBefore: 9, timestamp: 1 },
    { role: "branchSummary", summary: "B", fromId: "e", timestamp: 2 },
    userMessage("hi", [], 3),
    ran({ exitCode: 0 }),
    ran({ exitCode: 0 })
  ]
  const [first, again, longer] = [messages, messages.slice(), [...messages, userMessage("more", [], 4)]].map((all) =>
    ModelContext.forModel(all)
  )
  assert.strictEqual(first?.length, 5)
  first?.forEach((message, at) => {
    assert.strictEqual(again?.[at], message)
    assert.strictEqual(longer?.[at], message)
  })
  // Two that say the same are two all the same.
  assert.deepStrictEqual(first?.[3], first?.[4])
  assert.notStrictEqual(first?.[3], first?.[4])
})

describe("attempts that failed", () => {
  const [asked, answer, result] = [user("go"), assistant("yes", 1), toolResult()]
  const failed = assistant("half", 1, "error")
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<AgentMessage>, ReadonlyArray<AgentMessage>]> = [
    ["and were retried are left out", [asked, failed, answer], [asked, answer]],
    ["several times in a row", [asked, failed, failed, answer], [asked, answer]],
    ["take the results of their calls with them", [asked, failed, result, result, answer], [asked, answer]],
    ["at the end are left out, too", [asked, failed, result], [asked]],
    ["stay before what a user says next", [asked, failed, user("and?")], [asked, failed, user("and?")]],
    ["are not those that were aborted", [asked, assistant("x", 1, "aborted")], [asked, assistant("x", 1, "aborted")]],
    ["do not matter to results that come first, as after a compaction", [result, answer], [result, answer]],
    ["do not matter to results of a later answer", [failed, answer, result], [answer, result]]
  ]
  it.each(cases)("%s", (_, messages, sent) => assert.deepStrictEqual(ModelContext.forModel(messages), sent))

  const [steer, more, last] = [user("rather"), user("and more"), user("and?")]
  const steered: ReadonlyArray<readonly [string, ReadonlyArray<AgentMessage>, ReadonlyArray<AgentMessage>]> = [
    ["are left out before steering", [asked, failed, steer, answer], [asked, steer, answer]],
    ["with their results", [asked, failed, result, steer, more, answer], [asked, steer, more, answer]],
    ["while the last one stays", [asked, failed, steer, failed, last, answer], [asked, steer, failed, last, answer]],
    ["and nothing else is", [asked, answer, steer, answer], [asked, answer, steer, answer]]
  ]
  const between = new Set<AgentMessage>([steer, more])
  it.each(steered)("%s", (_, messages, sent) => assert.deepStrictEqual(ModelContext.forModel(messages, between), sent))
})

describe("an answer that was aborted", () => {
  const cut = assistant("half", 0, "aborted")
  const told: AgentMessage = {
    role: "custom",
    customType: "ttsr-injection",
    content: "rule",
    display: false,
    timestamp: 1
  }
  const steered = user("left")

  it("is left out with its results where another attempt follows", () => {
    const go = user("go")
    const messages = [go, cut, toolResult(), steered, told]
    assert.deepStrictEqual(ModelContext.withoutRetried(messages, new Set([steered, told])), [go, steered, told])
    assert.deepStrictEqual(ModelContext.withoutRetried([cut, told], new Set([told])), [told])
  })

  it("stays after an abort by the user, and where the setting keeps it", () => {
    const messages = [user("go"), cut, toolResult(), told]
    assert.deepStrictEqual(ModelContext.withoutRetried(messages), messages)
    const later = [cut, user("again"), told]
    assert.deepStrictEqual(ModelContext.withoutRetried(later, new Set([told])), later)
  })
})
