/** The queue over real pipes: how long it gets, what its changes cost, and where it is after the process has ended. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as HostProcess from "../support/host/HostProcess.ts"

const { answer, type } = HostProcess

interface Place {
  readonly folder: string
  readonly start: (...args: ReadonlyArray<string>) => Promise<HostProcess.HostProcess>
  /** A process on the session of the folder with this name. */
  readonly open: (name: string, ...args: ReadonlyArray<string>) => Promise<HostProcess.HostProcess>
}

const hangs = ["--set", "offline.scenario=hangs.json"]

const place = (name: string, body: (place: Place) => Promise<void>) =>
  it.scopedLive(
    name,
    () =>
      Effect.gen(function* () {
        const folder = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "heddle-queue-"))),
          (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
        )
        const scenario = (file: string, steps: ReadonlyArray<object>) =>
          writeFileSync(join(folder, file), JSON.stringify({ turns: [{ steps }], atEnd: "stay" }))
        scenario("says.json", [{ text: "answer" }])
        scenario("hangs.json", [{ text: "begun" }, { hang: true }])
        const runtime = yield* Effect.runtime<Effect.Effect.Context<ReturnType<typeof HostProcess.open>>>()
        const start: Place["start"] = (...more) => {
          const model = ["--offline", "--model", "offline/script", "--set", "offline.scenario=says.json"]
          const args = ["--cwd", folder, ...model, "--rpc-updates", "delta", ...more]
          return Effect.runPromise(Effect.provide(HostProcess.open({ args }), runtime))
        }
        const open: Place["open"] = (session, ...more) => start("--session", join(folder, session), ...more)
        yield* Effect.promise(() => body({ folder, start, open }))
      }),
    60_000
  )

const data = async (host: HostProcess.HostProcess, frame: Readonly<Record<string, unknown>>) => {
  host.send(frame)
  const answered = await host.until(answer(String(frame["id"])))
  return JSON.parse(JSON.stringify(answered["success"] === true ? (answered["data"] ?? {}) : answered))
}
const queue = (host: HostProcess.HostProcess, command: string, id: string, more: object = {}) =>
  data(host, { id, type: command, message: id, ...more })
const texts = async (host: HostProcess.HostProcess, id = "texts") => {
  const { items } = await data(host, { id, type: "get_queue" })
  return items.map(({ text }: { readonly text: string }) => text)
}
const prompt = async (host: HostProcess.HostProcess, id: string) => {
  await queue(host, "prompt", id)
  await host.until((frame) => frame["type"] === "prompt_result" && frame["id"] === id)
}
const hanging = async (host: HostProcess.HostProcess) => {
  await queue(host, "prompt", "go")
  await host.until(type("message_update"))
}
const said = async (host: HostProcess.HostProcess) => {
  const { messages } = await data(host, { id: "said", type: "get_messages" })
  const users = messages.filter(({ role }: { readonly role: string }) => role === "user")
  return users.map(({ content }: { readonly content: ReadonlyArray<{ readonly text: string }> }) => content[0]?.text)
}
const close = (host: HostProcess.HostProcess) => {
  host.closeInput()
  return host.exited
}
const updates = (host: HostProcess.HostProcess) =>
  JSON.parse(JSON.stringify(host.frames().filter(type("queue_update"))))

place("8,000 follow-ups: what is written grows with their number, not with its square", async ({ open }) => {
  const host = await open("s.jsonl", "--set", "queue.maxMessages=8000")
  const count = 8000
  const frames = Array.from({ length: count }, (_, n) => ({ id: `${n}`, type: "follow_up", message: `number ${n}` }))
  host.send(...frames)
  await host.until(answer(`${count - 1}`))
  const written = host.lines.reduce((sum, line) => sum + line.length + 1, 0)
  assert.isBelow(written, 1_500_000 + count * 700)

  const [hundredth, next] = [updates(host)[99], updates(host)[100]]
  assert.deepStrictEqual([hundredth.followUp.length, hundredth.items.length, hundredth.counts], [100, 100, undefined])
  const { counts, followUp, items, removed, revision, steering } = next
  assert.deepStrictEqual([steering, followUp, removed, revision], [undefined, undefined, [], 101])
  assert.deepStrictEqual(counts, { steering: 0, followUp: 101, nextTurn: 0 })
  assert.deepStrictEqual([items.length, items[0].text, items[0].position], [1, "number 100", 100])

  const state = await data(host, { id: "state", type: "get_state" })
  assert.deepStrictEqual([state.queuedMessageCount, state.queuedMessages], [count, undefined])
  assert.strictEqual((await texts(host)).length, count)
  const { messageId } = items[0]
  const gone = await data(host, { id: "gone", type: "remove_queued_message", messageId })
  assert.deepStrictEqual([gone.removed, gone.item.position], [true, 100])
  const last = updates(host).at(-1)
  assert.deepStrictEqual([last.items, last.removed, last.counts.followUp], [[], [messageId], count - 1])
  const full = await queue(host, "steer", "room")
  assert.strictEqual(full.disposition, "queued")
})

for (const [how, end, abortQueue] of [
  ["EOF", close, "return"],
  [
    "SIGTERM, where aborts keep the queue,",
    (host: HostProcess.HostProcess) => {
      host.child.kill("SIGTERM")
      return host.exited
    },
    "keep"
  ]
] as const) {
  place(`after ${how} what the host was not told of is queued again, and delivered once`, async ({ open }) => {
    const settings = ["--set", `abortQueue=${abortQueue}`, "--set", "queue.maxMessages=4"]
    const host = await open("s.jsonl", ...hangs, ...settings)
    await hanging(host)
    const ids = [
      (await queue(host, "steer", "S1")).messageId,
      (await queue(host, "steer", "S2", { clientMessageId: "c" })).messageId,
      (await queue(host, "follow_up", "F")).messageId
    ]
    await queue(host, "prompt", "Q", { streamingBehavior: "followUp" })
    const { code, data: limits } = await queue(host, "prompt", "no room", { streamingBehavior: "steer" })
    assert.deepStrictEqual([code, limits], ["queue_full", { maxMessages: 4, maxBytes: 67_108_864 }])
    assert.deepStrictEqual(await end(host), { code: how === "EOF" ? 0 : 143, signal: null })
    const results = host.frames().filter(type("prompt_result"))
    assert.deepStrictEqual(
      results.map(({ id, status }) => [id, status]),
      [
        ["go", "aborted"],
        ["Q", "aborted"]
      ]
    )

    const again = await open("s.jsonl")
    const update = JSON.parse(JSON.stringify(await again.until(type("queue_update"))))
    assert.deepStrictEqual([update.steering, update.followUp], [["S1", "S2"], ["F"]])
    const { items } = await data(again, { id: "queue", type: "get_queue" })
    assert.deepStrictEqual(
      items.map((item: { readonly messageId: string }) => item.messageId),
      ids
    )
    assert.strictEqual(items[1].clientMessageId, "c")
    const repeated = await queue(again, "steer", "S2", { clientMessageId: "c" })
    assert.deepStrictEqual([repeated.duplicate, repeated.messageId], [true, ids[1]])
    await prompt(again, "next")
    assert.deepStrictEqual(await said(again), ["go", "next", "S1", "S2", "F"])
    await close(again)

    const third = await open("s.jsonl")
    assert.deepStrictEqual(await texts(third), [])
    await close(third)
  })
}

place("a host that has died was told nothing, so its queued prompts stay, too", async ({ open }) => {
  const host = await open("s.jsonl", ...hangs)
  await hanging(host)
  await queue(host, "prompt", "Q", { streamingBehavior: "followUp", clientMessageId: "q" })
  host.child.stdout?.destroy()
  await close(host)
  const again = await open("s.jsonl")
  assert.deepStrictEqual(await texts(again), ["Q"])
  // The prompt that is sent again waits for the message that is queued, and gets its report.
  const repeated = await data(again, { id: "again", type: "prompt", message: "Q", clientMessageId: "q" })
  assert.deepStrictEqual([repeated.duplicate, repeated.disposition], [true, "queued"])
  await prompt(again, "next")
  const result = await again.until((frame) => frame["type"] === "prompt_result" && frame["id"] === "again")
  assert.deepStrictEqual([result["status"], result["agentInvoked"]], ["completed", true])
  assert.deepStrictEqual(await said(again), ["go", "next", "Q"])
})

place("a message that is queued before any prompt has a file, and waits for the first prompt", async ({ open }) => {
  const host = await open("s.jsonl")
  await queue(host, "steer", "S")
  host.child.kill("SIGKILL")
  await host.exited
  const again = await open("s.jsonl")
  assert.deepStrictEqual(await texts(again), ["S"])
  const { messageCount } = await data(again, { id: "state", type: "get_state" })
  assert.strictEqual(messageCount, 0)
  await prompt(again, "go")
  assert.deepStrictEqual(await said(again), ["go", "S"])
})

place("switch_session brings its queue, and leaving a session empties it", async ({ folder, open }) => {
  const first = await open("one.jsonl")
  await prompt(first, "one")
  await queue(first, "follow_up", "F1")
  await close(first)
  const host = await open("two.jsonl")
  await prompt(host, "two")
  await queue(host, "follow_up", "F2")
  await data(host, { id: "switch", type: "switch_session", sessionPath: join(folder, "one.jsonl") })
  assert.deepStrictEqual(await texts(host), ["F1"])
  const [queued, emptied, restored] = updates(host)
  assert.deepStrictEqual([queued.followUp, emptied.followUp, restored.followUp], [["F2"], [], ["F1"]])
  assert.deepStrictEqual([queued.revision, emptied.revision, restored.revision], [1, 2, 3])
  assert.notStrictEqual(restored.sessionId, emptied.sessionId)
  await data(host, { id: "new", type: "new_session" })
  await close(host)
  for (const name of ["one.jsonl", "two.jsonl"]) {
    const again = await open(name)
    assert.deepStrictEqual(await texts(again), [])
    await close(again)
  }
})

place("a prompt from before the process holds up nothing until it is sent again", async ({ open }) => {
  const host = await open("s.jsonl", ...hangs)
  await hanging(host)
  const named = { streamingBehavior: "followUp", clientMessageId: "c-q" }
  const { messageId } = await queue(host, "prompt", "q", named)
  host.child.kill("SIGKILL")
  await host.exited

  const again = await open("s.jsonl")
  assert.deepStrictEqual(await texts(again), ["q"])
  assert.isTrue((await data(again, { id: "before", type: "get_state" })).isSettled)
  const { disposition, duplicate } = await queue(again, "prompt", "q", named)
  assert.deepStrictEqual([disposition, duplicate], ["queued", true])
  assert.isFalse((await data(again, { id: "joined", type: "get_state" })).isSettled)
  await data(again, { id: "remove", type: "remove_queued_message", messageId })
  const ends = again.frames().filter(({ type: name }) => name === "prompt_result" || name === "session_settled")
  assert.deepStrictEqual(
    ends.map(({ id, sessionSettled, type: name }) => [name, id, sessionSettled]),
    [
      ["prompt_result", "q", true],
      ["session_settled", undefined, undefined]
    ]
  )
  assert.isTrue((await data(again, { id: "after", type: "get_state" })).isSettled)
})

place("tree, export, clone and fork do not have what is queued", async ({ folder, open, start }) => {
  const host = await open("s.jsonl")
  await queue(host, "follow_up", "F-ZERO")
  await prompt(host, "one")
  await queue(host, "follow_up", "F-ONE")
  await queue(host, "follow_up", "F-TWO")
  const { leafId, tree } = await data(host, { id: "tree", type: "get_tree" })
  const chain = (nodes: ReadonlyArray<{ readonly entry: object; readonly children: [] }>): ReadonlyArray<string> => {
    assert.strictEqual(nodes.length, 1)
    const [node] = JSON.parse(JSON.stringify(nodes))
    assert.notStrictEqual(node.entry.customType, "heddle.queue")
    return node.children.length === 0 ? [node.entry.id] : [node.entry.id, ...chain(node.children)]
  }
  const path = chain(tree)
  assert.deepStrictEqual([path.length, path.at(-1)], [4, leafId])
  const { path: page } = await data(host, { id: "export", type: "export_html", outputPath: "page.html" })
  const embedded = Buffer.from(/[A-Za-z0-9+/=]{200,}/.exec(readFileSync(page, "utf8"))?.[0] ?? "", "base64").toString()
  assert.include(embedded, "F-ZERO")
  assert.notInclude(embedded, "F-ONE")

  const fork = await start("--fork", join(folder, "s.jsonl"))
  assert.deepStrictEqual(await texts(fork), [])
  assert.deepStrictEqual(await said(fork), ["one", "F-ZERO"])
  await close(fork)
  await data(host, { id: "clone", type: "clone" })
  const { sessionFile } = await data(host, { id: "state", type: "get_state" })
  await close(host)
  assert.notInclude(readFileSync(sessionFile, "utf8"), "heddle.queue")
})
