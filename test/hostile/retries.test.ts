/** What the model is sent of attempts that failed, over a real connection that breaks. */
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import * as HostileModel from "../support/host/HostileModel.ts"
import * as HostProcess from "../support/host/HostProcess.ts"
import * as LoopbackModel from "../support/LoopbackModel.ts"

const { answer } = HostProcess

it.scopedLive(
  "an attempt that was tried again is left out, also before steering and after a restart; the last one is not",
  () =>
    Effect.gen(function* () {
      const folder = yield* HostileModel.folder
      const [go, more] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const server = yield* LoopbackModel.make(
        HostileModel.breaksOff("FIRST-HALF", { _tag: "Until", go }),
        HostileModel.breaksOff("SECOND-HALF", { _tag: "Until", go: more }),
        HostileModel.says("fine")
      )
      const retries = ["retry.enabled=true", "retry.maxRetries=1", "retry.baseDelayMs=1"]
      const settings = retries.flatMap((setting) => ["--set", setting])
      const open = HostProcess.open(
        HostileModel.options(server, ...settings, "--session", join(folder, "s.jsonl"), "--rpc-updates", "delta")
      )
      const sent = Effect.map(server.requests.take, ({ body }) => JSON.stringify(body))
      const ended = (host: HostProcess.HostProcess, id: string) =>
        Effect.promise(() => host.until((frame) => frame["type"] === "prompt_result" && frame["id"] === id))
      const shown = (host: HostProcess.HostProcess, text: string) =>
        Effect.promise(() =>
          host.until((frame) => frame["type"] === "message_update" && JSON.stringify(frame).includes(text))
        )
      const has = (body: string) => ["FIRST-HALF", "SECOND-HALF", "STEERED"].map((text) => body.split(text).length - 1)

      const host = yield* open
      host.send({ id: "one", type: "prompt", message: "go" })
      yield* shown(host, "FIRST-HALF")
      host.send({ id: "s", type: "steer", message: "STEERED" })
      yield* Effect.promise(() => host.until(answer("s")))
      yield* Deferred.succeed(go, undefined)
      yield* shown(host, "SECOND-HALF")
      yield* Deferred.succeed(more, undefined)
      assert.deepInclude(yield* ended(host, "one"), { status: "error" })
      assert.deepStrictEqual(has(yield* sent), [0, 0, 0])
      assert.deepStrictEqual(has(yield* sent), [0, 0, 1])

      host.send({ id: "two", type: "prompt", message: "and?" })
      assert.deepInclude(yield* ended(host, "two"), { status: "completed" })
      assert.deepStrictEqual(has(yield* sent), [0, 1, 1])
      host.send({ id: "m", type: "get_messages" })
      const messages = yield* Effect.promise(() => host.until(answer("m")))
      assert.deepStrictEqual(has(JSON.stringify(messages)), [1, 1, 1])
      host.child.kill("SIGKILL")
      yield* Effect.promise(() => host.exited)

      const again = yield* open
      again.send({ id: "three", type: "prompt", message: "still there?" })
      assert.deepInclude(yield* ended(again, "three"), { status: "completed" })
      assert.deepStrictEqual(has(yield* sent), [0, 1, 1])
    }),
  30_000
)
