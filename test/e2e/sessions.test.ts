import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as HostProcess from "../support/host/HostProcess.ts"

const { answer, type } = HostProcess
type Frame = HostProcess.Frame

const folder = mkdtempSync(join(tmpdir(), "heddle-sessions-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const playing = (name: string, scenario: object) => {
  const file = join(folder, `${name}.json`)
  writeFileSync(file, JSON.stringify(scenario))
  return { args: ["--no-session", "--model", "offline/script", "--set", `offline.scenario=${file}`] }
}

const host = (name: string, options: HostProcess.HostOptions, body: (host: HostProcess.HostProcess) => Promise<void>) =>
  it.scopedLive(name, () => Effect.flatMap(HostProcess.open(options), (opened) => Effect.promise(() => body(opened))))

/** Members of the answers that are looked at. */
const Data = Schema.Struct({
  sessionId: Schema.String,
  text: Schema.String,
  messages: Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  sessions: Schema.Array(Schema.Struct({ name: Schema.optional(Schema.String), firstMessage: Schema.String })),
  nextCursor: Schema.String,
  totalMessages: Schema.Int
}).pipe(Schema.partial)

const ask = async (host: HostProcess.HostProcess, id: string, frame: object) => {
  host.send({ id, ...frame })
  const { data = {} } = await host.until(answer(id))
  return Schema.decodeUnknownSync(Data)(data)
}

const prompt = async (host: HostProcess.HostProcess, id: string, message: string) => {
  host.send({ id, type: "prompt", message })
  await host.until((frame) => frame["type"] === "prompt_result" && frame["id"] === id)
}

/** Without gaps, from 1 in every epoch, and each epoch belongs to one session. */
const checkRecords = (frames: ReadonlyArray<Frame>) => {
  const sessions = new Map<unknown, unknown>()
  let last = { epoch: frames[0]?.["epoch"], seq: 0 }
  for (const { epoch, seq, sessionId, type } of frames) {
    if (type === "response") continue
    assert.strictEqual(seq, epoch === last.epoch ? last.seq + 1 : 1)
    if (epoch !== last.epoch) assert.isFalse(sessions.has(epoch), "an epoch does not come back")
    assert.strictEqual(sessions.get(epoch) ?? sessionId, sessionId)
    sessions.set(epoch, sessionId)
    last = { epoch, seq: Number(seq) }
  }
  return [...sessions.values()]
}

host(
  "sessions are left in the middle of a run, named, listed, found again and branched",
  playing("changes", {
    atEnd: "stay",
    turns: [
      { steps: [{ text: "begun", cutOff: true }, { hang: true }], usage: { input: 3, output: 1 } },
      { steps: [{ text: "answer" }], usage: { input: 10, output: 5 } }
    ]
  }),
  async (host) => {
    const first = (await host.until(type("ready")))["sessionId"]
    host.send({ id: "p", type: "prompt", message: "Weave" })
    await host.until(type("message_update"))
    const left = await ask(host, "n", { type: "new_session" })
    const kinds = host.frames().map((frame) => (frame["type"] === "response" ? frame["id"] : frame["type"]))
    const end = ["agent_end", "prompt_result", "agent_settled", "session_settled"]
    assert.deepStrictEqual(kinds.slice(kinds.indexOf("agent_end")), [
      ...end,
      "session_info_changed",
      "session_info_update",
      "n"
    ])
    assert.notStrictEqual(left.sessionId, first)
    await ask(host, "name", { type: "set_session_name", name: "Looms" })
    await prompt(host, "q", "What is a heddle?")
    const { sessions } = await ask(host, "l", { type: "list_sessions" })
    assert.sameMembers(sessions?.map(({ firstMessage, name }) => `${name}: ${firstMessage}`) ?? [], [
      "Looms: What is a heddle?",
      "undefined: Weave"
    ])
    await ask(host, "back", { type: "switch_session", sessionPath: first })
    const { messages } = await ask(host, "m", { type: "get_messages" })
    assert.deepStrictEqual(
      messages?.map(({ role, stopReason }) => stopReason ?? role),
      ["user", "aborted"]
    )
    const forks = await ask(host, "f", { type: "get_fork_messages" })
    const forked = await ask(host, "fork", { type: "fork", entryId: forks.messages?.[0]?.["entryId"] })
    assert.strictEqual(forked.text, "Weave")
    await prompt(host, "r", "Weave again")
    await ask(host, "s", { type: "get_session_stats" })
    assert.deepInclude(Object(await host.until(answer("s")))["data"], {
      sessionId: forked.sessionId,
      totalMessages: 2,
      tokens: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, total: 15 }
    })
    assert.deepStrictEqual(checkRecords(host.frames()), [first, left.sessionId, first, forked.sessionId])
    host.closeInput()
    assert.deepStrictEqual(await host.exited, { code: 0, signal: null })
  }
)

const longText = "0123456789abcdef\u2028é".repeat(16_000)

host(
  "pages are bounded, belong together, and show what was there at the first one",
  playing("pages", { atEnd: "repeat", turns: [{ steps: [{ text: longText, chunk: 1_000_000 }] }] }),
  async (host) => {
    for (const id of ["1", "2", "3", "4"]) await prompt(host, id, `question ${id}`)
    const whole = (await ask(host, "all", { type: "get_messages" })).messages
    const pages: Array<typeof Data.Type> = []
    for (let cursor: string | undefined; pages.length === 0 || cursor !== undefined;) {
      const id = `page${pages.length}`
      const page = await ask(host, id, { type: "get_messages_page", ...(cursor === undefined ? {} : { cursor }) })
      const line = host.lines.find((text) => text.includes(`"id":"${id}"`)) ?? ""
      assert.isBelow(Buffer.byteLength(line), 768 * 1024 + 500)
      pages.push(page)
      cursor = page.nextCursor
      if (pages.length === 1) await prompt(host, "5", "in between")
    }
    assert.isAbove(pages.length, 1)
    assert.deepStrictEqual(
      pages.flatMap(({ messages }) => messages ?? []),
      whole
    )
    assert.deepStrictEqual([...new Set(pages.map(({ totalMessages }) => totalMessages))], [8])
  }
)

host("a session without messages is open and not stored; with messages it is listed once", {}, async (host) => {
  const list = async (id: string, scope: string) => {
    host.send({ id, type: "list_sessions", scope })
    const { data = {} } = await host.until(answer(id))
    const Listed = Schema.Struct({ sessions: Schema.Array(Schema.Struct({ open: Schema.Boolean })) })
    return Schema.decodeUnknownSync(Listed)(data).sessions
  }
  assert.deepStrictEqual(await list("a1", "all"), [{ open: true }])
  assert.deepStrictEqual(await list("s1", "stored"), [])
  host.send({ id: "p", type: "prompt", message: "What is in this folder?" })
  await host.until(type("session_settled"))
  assert.deepStrictEqual(await list("a2", "all"), [{ open: true }])
  assert.deepStrictEqual(await list("s2", "stored"), [{ open: true }])
})
