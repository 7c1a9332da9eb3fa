/** Frames and sessions that take memory: bounded, and given back. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Predicate } from "effect"
import * as HostileModel from "../support/host/HostileModel.ts"
import * as HostProcess from "../support/host/HostProcess.ts"
import * as LoopbackModel from "../support/LoopbackModel.ts"

const { answer, type } = HostProcess
type Host = HostProcess.HostProcess

const hello = { turns: [{ steps: [{ text: "Hello!" }] }], atEnd: "stay" }

const host = (name: string, args: ReadonlyArray<string>, body: (host: Host) => Promise<void>) =>
  it.scopedLive(
    name,
    () =>
      Effect.gen(function* () {
        const opened = yield* HostProcess.open(yield* HostileModel.script(hello, ...args))
        yield* Effect.promise(() => body(opened))
      }),
    30_000
  )

/** Megabytes: what the process has now, and the most it ever had. */
const memory = ({ child }: Host) => {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8")
  const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024
  return { now: of("VmRSS"), most: of("VmHWM") }
}

let asked = 0
const ask = async (host: Host, frame: object) => {
  const id = `ask${asked++}`
  host.send({ id, ...frame })
  return host.until(answer(id))
}

/** Asks again and again until the memory is down. The test runs out of time if it never is. */
const untilBelow = async (host: Host, megabytes: number) => {
  while (memory(host).now > megabytes) await ask(host, { type: "get_state" })
}

const prompt = async (host: Host, id: string, message: string, more: object = {}) => {
  host.send({ id, type: "prompt", message, ...more })
  return host.until((frame) => frame["type"] === "prompt_result" && frame["id"] === id)
}

host("a million values are taken, and one more is refused before it is built", [], async (host) => {
  // The frame, its two texts and the array are values, too.
  const frame = (id: string, values: number) => `{"id":"${id}","type":"get_state","x":[${"1,".repeat(values - 5)}1]}\n`
  host.write(frame("ok", 1_000_000))
  host.write(frame("no", 1_000_001))
  assert.deepInclude(await host.until(answer("ok")), { success: true })
  const refused = await host.until((each) => each["requestId"] === "no")
  assert.deepInclude(refused, { success: false, error: "Failed to parse command: more than 1000000 values" })
  assert.deepInclude(await ask(host, { type: "get_state" }), { success: true })
})

describe.skipIf(process.platform !== "linux")("memory", () => {
  host("63 MiB of empty objects are refused, and the memory is given back", ["--no-session"], async (host) => {
    await host.until(type("startup"))
    const idle = memory(host).now
    host.write(`{"id":"big","type":"get_state","x":[${"{},".repeat(21 * 1024 * 1024)}{}]}\n`)
    assert.deepInclude(await host.until((frame) => frame["requestId"] === "big"), { success: false })
    assert.isBelow(memory(host).most - idle, 300)
    await untilBelow(host, idle + 60)
  })

  host("sessions that were left are freed", ["--no-session", "--rpc-updates", "delta"], async (host) => {
    await host.until(type("startup"))
    const idle = memory(host).now
    const text = "x".repeat(8_000_000)
    for (let i = 0; i < 16; i++) {
      assert.deepInclude(await prompt(host, `p${i}`, text), { status: "completed" })
      assert.deepInclude(await ask(host, { type: "new_session" }), { success: true })
    }
    assert.isBelow(memory(host).most - idle, 300)
    // All of them together have 128 MB.
    await untilBelow(host, idle + 80)
    const { data } = await ask(host, { type: "list_sessions" })
    const listed = Predicate.hasProperty(data, "sessions") && Array.isArray(data.sessions) ? data.sessions : []
    assert.isTrue(listed.length >= 1 && listed.length <= 3, `${listed.length} sessions are listed`)
  })
})

describe("40,000 blocks", () => {
  for (const form of ["full", "delta"] as const) {
    it.scopedLive(`of one answer (${form}) take time in proportion`, () =>
      Effect.gen(function* () {
        const texts = Array.from({ length: 40_000 }, (_, i) => `b${i}`)
        // All in one chunk: how the bytes arrive is not the matter.
        const server = yield* LoopbackModel.make(LoopbackModel.sse(HostileModel.says(...texts).parts.join("")))
        const opened = yield* HostProcess.open(HostileModel.options(server, "--rpc-updates", form))
        yield* Effect.promise(async () => {
          assert.deepInclude(await prompt(opened, "p", "go"), { status: "completed" })
          const [, ended] = opened.frames().filter(type("message_end"))
          const said = JSON.stringify(ended)
          assert.include(said, '"text":"b0"')
          assert.include(said, '"text":"b39999"')
          assert.isBelow(
            opened.lines.reduce((sum, line) => sum + line.length, 0),
            200_000_000
          )
        })
      })
    )
  }

  host("of one prompt are taken", ["--rpc-updates", "delta"], async (host) => {
    const image = { type: "image", data: "QUJD", mimeType: "image/png" }
    const attachment = { type: "document", fileName: "f", mimeType: "text/plain", content: "aGVsbG8=" }
    const images = Array.from({ length: 40_000 }, () => image)
    assert.deepInclude(await prompt(host, "i", "look", { images }), { status: "completed" })
    const attachments = Array.from({ length: 40_000 }, () => attachment)
    assert.deepInclude(await prompt(host, "a", "read", { attachments }), { status: "completed" })
    const wrong = Array.from({ length: 40_000 }, () => ({ ...image, data: 1 }))
    host.send({ id: "w", type: "prompt", message: "look", images: wrong })
    const { error } = await host.until(answer("w"))
    assert.match(String(error), /^Invalid prompt command: "images\[0\].data" must be a string; .*; and 39990 more$/)
  })
})
