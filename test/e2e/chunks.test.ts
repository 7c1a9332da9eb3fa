/** Long frames for hosts that have agreed on chunks, and for those that have not. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ChunkReader from "../support/host/ChunkReader.ts"
import * as HostProcess from "../support/host/HostProcess.ts"

const { answer, type } = HostProcess
const long = "€".repeat(400_000)
const messages = (id: string) => ({ id, type: "get_messages" })

type Fits = (frame: HostProcess.Frame) => boolean

interface Play {
  readonly host: HostProcess.HostProcess
  /** The frames so far, put together. */
  readonly read: () => ReadonlyArray<HostProcess.Frame>
  readonly until: (fits: Fits) => Promise<HostProcess.Frame | undefined>
  /** Sends a long prompt and returns when its run has ended. */
  readonly prompt: () => Promise<unknown>
}

const over = (host: HostProcess.HostProcess): Play => {
  const take = ChunkReader.make()
  const frames: Array<HostProcess.Frame> = []
  let at = 0
  const read = () => {
    for (; at < host.lines.length; at++) {
      const frame = take(host.lines[at] ?? "")
      if (frame !== undefined) frames.push(frame)
    }
    return frames
  }
  const until = async (fits: Fits) => {
    await host.until(() => read().some(fits))
    return frames.find(fits)
  }
  const prompt = () => {
    host.send({ id: "p", type: "prompt", message: long })
    return until(type("session_settled"))
  }
  return { host, read, until, prompt }
}

const play = (name: string, body: (play: Play) => Promise<void>) =>
  it.scopedLive(name, () =>
    Effect.flatMap(HostProcess.open({ args: ["--no-session"] }), (host) => Effect.promise(() => body(over(host))))
  )

const longest = ({ lines }: HostProcess.HostProcess) => Math.max(...lines.map((line) => Buffer.byteLength(line) + 1))
const textOf = (frame: object | undefined) => JSON.stringify(frame)

play(
  "after negotiate_protocol long frames come in chunks, whole in content and numbers",
  async ({ host, prompt, read, until }) => {
    assert.deepInclude(await host.until(type("ready")), {
      supportedProtocolVersions: [1, 2],
      maxFrameBytes: 1_048_576,
      maxReassembledFrameBytes: 67_108_864
    })
    host.send({ id: "n", type: "negotiate_protocol", protocolVersion: 2 })
    await prompt()
    host.send(messages("m"))
    assert.include(textOf(await until(answer("m"))), long)
    assert.isAtMost(longest(host), 1_048_576)
    const frames = read()
    assert.include(textOf(frames.find(type("agent_end"))), long)
    const numbers = frames.flatMap(({ seq }) => (typeof seq === "number" ? [seq] : []))
    assert.deepStrictEqual(
      numbers,
      numbers.map((_, at) => at + 1)
    )
  }
)

play("chunks begin behind the response that agrees on them", async ({ host, prompt, until }) => {
  await prompt()
  assert.isAbove(longest(host), 1_048_576)
  host.send(messages("before"), { id: "n", type: "initialize", capabilities: { chunks: true } }, messages("after"))
  assert.include(textOf(await until(answer("after"))), long)
  const kinds = host.lines.map((line) => JSON.parse(line)).map(({ id, type }) => (type === "rpc_chunk" ? type : id))
  assert.isBelow(kinds.indexOf("before"), kinds.indexOf("n"))
  assert.isAbove(kinds.indexOf("rpc_chunk"), kinds.indexOf("n"))
})

play("a host that has not asked for chunks gets whole frames", async ({ host, prompt, until }) => {
  host.send({ id: "i", type: "initialize", capabilities: { messageUpdates: "delta" } })
  await prompt()
  host.send(messages("m"))
  assert.include(textOf(await until(answer("m"))), long)
  assert.isFalse(host.frames().some(type("rpc_chunk")))
})
