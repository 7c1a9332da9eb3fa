/** Models that never come to an end: runs have a limit, and the process stays responsive whatever they ask for. */
import { assert, it } from "@effect/vitest"
import { Effect, Predicate, type Scope } from "effect"
import * as HostileModel from "../support/host/HostileModel.ts"
import * as HostProcess from "../support/host/HostProcess.ts"
import * as LoopbackModel from "../support/LoopbackModel.ts"

const { answer, type } = HostProcess
type Host = HostProcess.HostProcess

const host = (
  name: string,
  options: Effect.Effect<HostProcess.HostOptions, never, Scope.Scope>,
  body: (host: Host) => Promise<void>
) =>
  it.scopedLive(name, () =>
    Effect.gen(function* () {
      const opened = yield* HostProcess.open(yield* options)
      yield* Effect.promise(() => body(opened))
    })
  )

/** Every answer asks for a tool. */
const endless = { atEnd: "repeat", turns: [{ steps: [{ toolCall: { name: "ls", arguments: { path: "examples" } } }] }] }

const count = (host: Host, name: string) => host.frames().filter(type(name)).length
const result = (id: string) => (frame: HostProcess.Frame) => frame["type"] === "prompt_result" && frame["id"] === id

host(
  "a run ends at maxTurns with its tool results stored, and the next prompt begins anew",
  HostileModel.script(endless, "--set", "maxTurns=3"),
  async (host) => {
    host.send({ id: "p", type: "prompt", message: "go" })
    const message = "The run has reached its limit of 3 turns (setting maxTurns); send another prompt to go on"
    const ended = await host.until(result("p"))
    assert.deepInclude(ended, { status: "error", error: { message, retryable: false } })
    await host.until(type("session_settled"))
    assert.strictEqual(count(host, "tool_execution_end"), 3)
    host.send({ id: "m", type: "get_messages" })
    const { data } = await host.until(answer("m"))
    const messages = Predicate.hasProperty(data, "messages") && Array.isArray(data.messages) ? data.messages : []
    assert.deepStrictEqual(
      messages.map(({ role }) => role),
      ["user", "assistant", "toolResult", "assistant", "toolResult", "assistant", "toolResult", "assistant"]
    )
    assert.deepInclude(messages.at(-1), { stopReason: "error", errorMessage: message, content: [] })
    host.send({ id: "q", type: "prompt", message: "again" })
    assert.deepInclude(await host.until(result("q")), { status: "error", error: { message, retryable: false } })
    assert.strictEqual(count(host, "tool_execution_end"), 6)
  }
)

host(
  "a run that settles within maxTurns ends as ever, and what is queued beyond it waits for the next prompt",
  Effect.map(
    LoopbackModel.serve(() => HostileModel.says("Done.")),
    (server) => HostileModel.options(server, "--set", "maxTurns=1")
  ),
  async (host) => {
    host.send({ id: "p", type: "prompt", message: "go" }, { id: "f", type: "follow_up", message: "and then" })
    assert.deepInclude(await host.until(result("p")), { status: "completed" })
    await host.until(type("session_settled"))
    host.send({ id: "s", type: "get_state" })
    assert.deepInclude(JSON.parse(JSON.stringify((await host.until(answer("s")))["data"])), { queuedMessageCount: 1 })
    host.send({ id: "q", type: "prompt", message: "again" })
    assert.deepInclude(await host.until(result("q")), { status: "completed" })
    host.send({ id: "m", type: "get_messages" })
    assert.include(JSON.stringify(await host.until(answer("m"))), "and then")
  }
)

host(
  "without maxTurns an endless run goes on, is answered meanwhile, and is aborted at once",
  HostileModel.script(endless, "--rpc-updates", "delta"),
  async (host) => {
    host.send({ id: "p", type: "prompt", message: "go" })
    const times: Array<number> = []
    for (let i = 0; count(host, "turn_end") < 500; i++) {
      const asked = performance.now()
      host.send({ id: `s${i}`, type: "get_state" })
      await host.until(answer(`s${i}`))
      times.push(performance.now() - asked)
    }
    const asked = performance.now()
    host.send({ id: "a", type: "abort" })
    assert.deepInclude(await host.until(answer("a")), { success: true })
    const took = performance.now() - asked
    assert.deepInclude(await host.until(result("p")), { status: "aborted" })
    const middle = times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.POSITIVE_INFINITY
    assert.isBelow(middle, 250)
    assert.isBelow(took, 2000)
    host.closeInput()
    assert.deepStrictEqual(await host.exited, { code: 0, signal: null })
  }
)

const many = (calls: number) =>
  HostileModel.calls(
    ...Array.from({ length: calls }, (_, i) => ({ id: `c${i}`, name: "nothing", json: [`{"i":${i}}`] }))
  )

for (const form of ["full", "delta"] as const) {
  host(
    `one answer with 2,000 tool calls (${form}) is carried out, in order and without a frame too many`,
    Effect.map(LoopbackModel.make(many(2000), HostileModel.says("Enough.")), (server) =>
      HostileModel.options(server, "--rpc-updates", form, "--set", "compaction.enabled=false")
    ),
    async (host) => {
      host.send({ id: "p", type: "prompt", message: "go" })
      assert.deepInclude(await host.until(result("p")), { status: "completed" })
      const ended = host.frames().filter(type("tool_execution_end"))
      assert.deepStrictEqual(
        ended.map((frame) => frame["toolCallId"]),
        Array.from({ length: 2000 }, (_, i) => `c${i}`)
      )
      // The message would be repeated twice at the start and at the end of each of its blocks: gigabytes.
      assert.isBelow(
        host.lines.reduce((sum, line) => sum + line.length, 0),
        60_000_000
      )
      const updates = host.frames().flatMap((frame) => {
        const { assistantMessageEvent: event } = frame
        return Predicate.isReadonlyRecord(event) ? [`${event["contentIndex"]} ${event["type"]}`] : []
      })
      const seen = new Set(updates)
      assert.strictEqual(seen.size, updates.length, "no step is told twice")
      for (const update of updates) {
        const [index, name = ""] = update.split(" ")
        if (name.endsWith("_end")) assert.isTrue(seen.has(`${index} ${name.replace("_end", "_start")}`), update)
        if (name.endsWith("_start")) assert.isTrue(seen.has(`${index} ${name.replace("_start", "_end")}`), update)
      }
      if (form === "delta") assert.strictEqual(updates.length, 3 * 2000 + 3)
    }
  )
}

host(
  "an abort amid 2,000 tool calls answers every one of them",
  HostileModel.script(
    {
      turns: [
        {
          steps: Array.from({ length: 2000 }, () => ({
            toolCall: { name: "bash", arguments: { command: "sleep 60" } }
          }))
        }
      ]
    },
    "--rpc-updates",
    "delta"
  ),
  async (host) => {
    host.send({ id: "p", type: "prompt", message: "go" })
    await host.until(type("tool_execution_start"))
    host.send({ id: "a", type: "abort" })
    assert.deepInclude(await host.until(answer("a")), { success: true })
    assert.deepInclude(await host.until(result("p")), { status: "aborted" })
    assert.strictEqual(count(host, "tool_execution_start"), 2000)
    assert.strictEqual(count(host, "tool_execution_end"), 2000)
  }
)
