/** What becomes of each kind of message in each state of a session. */
import { assert, describe, it } from "@effect/vitest"
import { text } from "../../../src/domain/conversation/Content.ts"
import type { QueuedMessage } from "../../../src/domain/conversation/MessageQueue.ts"
import { decide, type Message } from "../../../src/domain/inbox/decide.ts"
import * as Receipts from "../../../src/domain/inbox/Receipts.ts"
import * as State from "../../../src/domain/inbox/State.ts"
import { type Fact, step } from "../../../src/domain/inbox/step.ts"

const told = (facts: ReadonlyArray<Fact>, from = State.make({ mostMessages: 3, mostBytes: 100 })) =>
  facts.reduce<State.State>((state, fact) => step(state, fact), from)

const item = (messageId: string, queue: QueuedMessage["queue"] = "steering", words = "x"): QueuedMessage => ({
  messageId,
  queue,
  text: words,
  images: [],
  createdAt: 0,
  order: 0
})
const queued = (messageId: string, queue?: QueuedMessage["queue"], words?: string): Fact => ({
  _tag: "Queued",
  item: item(messageId, queue, words),
  requests: [messageId]
})

const known: Receipts.Known = {
  content: [text("same")],
  receipt: { disposition: "started", runId: "r", messageId: "m", clientMessageId: "c" }
}
const checking: Fact = { _tag: "Checking" }
const begun: Fact = { _tag: "Begun", runId: "r", requests: ["q"], known }
const closing: Fact = { _tag: "Closing" }
const read: Fact = { _tag: "ReceiptsRead", receipts: Receipts.restore([]) }

/** The facts that lead to each state. */
const states: { readonly [Name in string]: ReadonlyArray<Fact> } = {
  Idle: [read],
  Preparing: [read, checking],
  Running: [read, checking, begun],
  Ending: [read, checking, begun, { _tag: "RunEnding", runId: "r" }],
  Holding: [read, { _tag: "Compacting" }],
  Closed: [read, closing],
  "Running, closing": [read, checking, begun, closing],
  "Idle, left": [read, closing, { _tag: "Left" }],
  "Idle, full": [read, queued("a"), queued("b", "followUp"), queued("d", "nextTurn")],
  "Running, full": [read, checking, begun, queued("a"), queued("b", "followUp"), queued("d", "nextTurn")],
  "b delivered": [read, queued("b"), checking, begun, { _tag: "Delivered", item: item("b"), runId: "r" }],
  "Idle, taken": [read, { _tag: "TurnTaken" }],
  "Idle, unread": []
}
type Column = keyof typeof states & string
const columns: ReadonlyArray<Column> = Object.keys(states)

const said = { text: "hello", images: [] }
const long = { text: "y".repeat(101), images: [] }
const mine = (words: string) => ({ clientMessageId: "c", content: [text(words)] })

const messages: { readonly [Name in string]: Message } = {
  turn: { _tag: "Turn" },
  prompt: { _tag: "Prompt" },
  "prompt that may steer": { _tag: "Prompt", whenBusy: "steering" },
  "prompt that may follow": { _tag: "Prompt", whenBusy: "followUp" },
  "prompt, sent again": { _tag: "Prompt", name: mine("same") },
  "prompt, other content": { _tag: "Prompt", name: mine("other"), whenBusy: "steering" },
  "heard, sent again": { _tag: "Heard", name: mine("same") },
  "heard, without a name": { _tag: "Heard" },
  enqueue: { _tag: "Enqueue" },
  "enqueue, sent again": { _tag: "Enqueue", name: mine("same") },
  "enqueue, other content": { _tag: "Enqueue", name: mine("other") },
  put: { _tag: "Put", said },
  "put, too long": { _tag: "Put", said: long },
  "custom for the next turn": { _tag: "Send", deliverAs: "nextTurn", said },
  "custom, quiet": { _tag: "Send", deliverAs: "steering", triggerTurn: false, said },
  "custom, quiet, too long": { _tag: "Send", deliverAs: "steering", triggerTurn: false, said: long },
  custom: { _tag: "Send", deliverAs: "steering", said },
  "custom that may start": { _tag: "Send", deliverAs: "followUp", triggerTurn: true, said },
  "result of bash": { _tag: "Bash" },
  compact: { _tag: "Compact" },
  "edit of nothing": { _tag: "Edit", messageId: "none", change: { text: "z" } },
  "edit of a": { _tag: "Edit", messageId: "a", change: { text: "z" } },
  "edit of a, too long": { _tag: "Edit", messageId: "a", change: { text: long.text } },
  "edit of an old revision": { _tag: "Edit", messageId: "a", change: {}, expectedRevision: 99 },
  "pick of b": { _tag: "Pick", messageId: "b" }
}

const short: { readonly [Code in string]: string } = {
  client_message_conflict: "conflict",
  queue_item_not_found: "missing",
  already_delivered: "late",
  revision_conflict: "stale",
  queue_full: "full"
}

const show = (state: State.State, message: Message): string => {
  const decision = decide(state, message)
  switch (decision._tag) {
    case "Refuse":
      return short[decision.code] ?? decision.code
    case "Queue":
      return decision.isIdle ? "Queue:idle" : "Queue"
    case "Join":
      return `Join:${decision.queue}`
    case "Found":
      return `Found:${decision.item.text}`
    default:
      return decision._tag
  }
}

/** A line a message, a cell a state in the order of `columns`. Refusals are in lower case. */
const table = `
turn                     | Handle     Handle     Handle        Handle        Handle     Handle     Handle          Handle     Handle    Handle        Handle        Wait       Handle
prompt                   | Start      busy       busy          busy          busy       closing    closing         closing    Start     busy          busy          Start      Start
prompt that may steer    | Start      busy       Join:steering Join:steering busy       closing    closing         closing    Start     Join:steering Join:steering Start      Start
prompt that may follow   | Start      busy       Join:followUp Join:followUp busy       closing    closing         closing    Start     Join:followUp Join:followUp Start      Start
prompt, sent again       | Start      busy       Repeat        Repeat        busy       closing    Repeat          closing    Start     Repeat        Repeat        Start      Read
prompt, other content    | Start      busy       conflict      conflict      busy       closing    conflict        closing    Start     conflict      conflict      Start      Read
heard, sent again        | Handle     Handle     Repeat        Repeat        Handle     Handle     Repeat          Handle     Handle    Repeat        Repeat        Handle     Read
heard, without a name    | Handle     Handle     Handle        Handle        Handle     Handle     Handle          Handle     Handle    Handle        Handle        Handle     Handle
enqueue                  | Handle     Handle     Handle        Handle        Handle     closing    closing         closing    Handle    Handle        Handle        Handle     Handle
enqueue, sent again      | Handle     Handle     Repeat        Repeat        Handle     closing    Repeat          closing    Handle    Repeat        Repeat        Handle     Read
enqueue, other content   | Handle     Handle     conflict      conflict      Handle     closing    conflict        closing    Handle    conflict      conflict      Handle     Read
put                      | Queue:idle Queue:idle Queue         Queue         Queue:idle Queue:idle Queue           Queue:idle full      full          Queue         Queue:idle Queue:idle
put, too long            | full       full       full          full          full       full       full            full       full      full          full          full       full
custom for the next turn | Queue:idle Queue:idle Queue         Queue         Queue:idle closing    closing         closing    full      full          Queue         Queue:idle Queue:idle
custom, quiet            | Append     Append     Late          Late          Late       closing    closing         closing    Append    Late          Late          Append     Append
custom, quiet, too long  | Append     Append     full          full          full       closing    closing         closing    Append    full          full          Append     Append
custom                   | Append     Append     Queue         Queue         Late       closing    closing         closing    Append    full          Queue         Append     Append
custom that may start    | Start      Queue:idle Queue         Queue         Queue:idle closing    closing         closing    Start     full          Queue         Start      Start
result of bash           | Append     Late       Late          Late          Late       Append     Late            Drop       Append    Late          Late          Append     Append
compact                  | Handle     busy       busy          busy          busy       closing    closing         closing    Handle    busy          busy          Handle     Handle
edit of nothing          | missing    missing    missing       missing       missing    missing    missing         missing    missing   missing       missing       missing    missing
edit of a                | missing    missing    missing       missing       missing    missing    missing         missing    Found:z   Found:z       missing       missing    missing
edit of a, too long      | missing    missing    missing       missing       missing    missing    missing         missing    full      full          missing       missing    missing
edit of an old revision  | stale      stale      stale         stale         stale      stale      stale           stale      stale     stale         stale         stale      stale
pick of b                | missing    missing    missing       missing       missing    missing    missing         missing    Found:x   Found:x       late          missing    missing
`
const rows = table
  .trim()
  .split("\n")
  .map((line) => {
    const [name = "", cells = ""] = line.split("|")
    return { name: name.trim(), cells: cells.trim().split(/\s+/) }
  })

describe("a message", () => {
  it.each(
    rows.flatMap(({ cells, name }) => cells.map((expected, at) => ({ name, column: columns[at] ?? "", expected })))
  )("$name, $column: $expected", ({ column, expected, name }) => {
    const message = messages[name]
    assert.strictEqual(message && show(told(states[column] ?? []), message), expected)
  })

  it("of every kind is in the table, with a cell for every state", () => {
    const kinds = new Set(Object.values(messages).map(({ _tag }) => _tag))
    assert.strictEqual(kinds.size, 10)
    assert.deepStrictEqual(
      rows.map(({ name }) => name),
      Object.keys(messages)
    )
    for (const { cells } of rows) assert.strictEqual(cells.length, columns.length)
  })
})
