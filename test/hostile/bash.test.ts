/** The result of a user's command that ends during a run is in the file when it is answered, and a message once. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as HostileModel from "../support/host/HostileModel.ts"
import * as HostProcess from "../support/host/HostProcess.ts"

const { answer, type } = HostProcess
type Host = HostProcess.HostProcess

const data = async (host: Host, frame: Readonly<Record<string, unknown>>) => {
  host.send(frame)
  const answered = await host.until(answer(String(frame["id"])))
  assert.deepInclude(answered, { success: true })
  return JSON.parse(JSON.stringify(answered["data"] ?? {}))
}

/** Commands by their text, all other messages by their role. */
const told = async (host: Host): Promise<ReadonlyArray<string>> => {
  const { messages } = await data(host, { id: "messages", type: "get_messages" })
  return messages.map(({ command, role }: { readonly command?: string; readonly role: string }) => command ?? role)
}

const kill = async (host: Host) => {
  host.child.kill("SIGKILL")
  await host.exited
}

interface Place {
  readonly file: string
  readonly hangs: () => Promise<Host>
  readonly says: () => Promise<Host>
}

const place = (name: string, body: (place: Place) => Promise<void>) =>
  it.scopedLive(
    name,
    () =>
      Effect.gen(function* () {
        const file = join(yield* HostileModel.folder, "s.jsonl")
        const open = (...steps: ReadonlyArray<object>) =>
          Effect.flatMap(
            HostileModel.script({ turns: [{ steps }], atEnd: "stay" }, "--session", file),
            HostProcess.open
          )
        const runtime = yield* Effect.runtime<Effect.Effect.Context<ReturnType<typeof open>>>()
        const start = (...steps: ReadonlyArray<object>) => Effect.runPromise(Effect.provide(open(...steps), runtime))
        const hangs = async () => {
          const host = await start({ text: "begun" }, { hang: true })
          await data(host, { id: "go", type: "prompt", message: "go" })
          await host.until(type("message_update"))
          return host
        }
        yield* Effect.promise(() => body({ file, hangs, says: () => start({ text: "answer" }) }))
      }),
    60_000
  )

const stored = (file: string) =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.startsWith('{"type":"message"') && line.includes('"role":"bashExecution"')).length

place("a process that is killed during the run loses no result, and opening it twice doubles none", async (place) => {
  const host = await place.hangs()
  await data(host, { id: "one", type: "bash", command: "echo one" })
  await data(host, { id: "two", type: "bash", command: "echo two; exit 3" })
  assert.deepStrictEqual(await told(host), ["user"])
  await kill(host)

  const both = ["echo one", "echo two; exit 3"]
  const again = await place.says()
  assert.deepStrictEqual(await told(again), ["user", ...both])
  const { messageCount } = await data(again, { id: "state", type: "get_state" })
  assert.strictEqual(messageCount, 3)
  await kill(again)

  const third = await place.says()
  assert.deepStrictEqual(await told(third), ["user", ...both])
  await data(third, { id: "next", type: "prompt", message: "next" })
  await third.until(type("session_settled"))
  await kill(third)

  const last = await place.says()
  assert.deepStrictEqual(await told(last), ["user", ...both, "user", "assistant"])
  assert.strictEqual(stored(place.file), 2)
})

place("after the run the result is a message behind those of the run, once", async (place) => {
  const host = await place.hangs()
  await data(host, { id: "one", type: "bash", command: "echo one" })
  await data(host, { id: "stop", type: "abort" })
  assert.deepStrictEqual(await told(host), ["user", "assistant", "echo one"])
  await kill(host)
  assert.deepStrictEqual(await told(await place.says()), ["user", "assistant", "echo one"])
  assert.strictEqual(stored(place.file), 1)
})
