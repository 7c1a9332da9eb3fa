import { assert, it } from "@effect/vitest"
import { createEventBus } from "../../../../../src/layers/pi/modules/agent/EventBus.ts"

it("hands data to those who listen, until they stop", () => {
  const bus = createEventBus()
  const heard: Array<unknown> = []
  const stop = bus.on("a", (data) => heard.push(["first", data]))
  const handler = (data: unknown) => heard.push(["second", data])
  bus.on("a", handler)
  bus.emit("a", 1)
  bus.emit("b", 2)
  stop()
  bus.emit("a", 3)
  bus.off("a", handler)
  bus.emit("a", 4)
  bus.on("a", handler)
  bus.clear()
  bus.emit("a", 5)
  assert.deepStrictEqual(heard, [
    ["first", 1],
    ["second", 1],
    ["second", 3]
  ])
})

it("a handler that fails is reported to the process, and the others still hear", async () => {
  const reported = Promise.withResolvers<unknown>()
  const before = process.listeners("uncaughtException")
  process.removeAllListeners("uncaughtException")
  process.once("uncaughtException", reported.resolve)
  const bus = createEventBus()
  const heard: Array<unknown> = []
  bus.on("a", () => {
    throw new Error("broken")
  })
  bus.on("a", (data) => heard.push(data))
  bus.emit("a", 1)
  assert.strictEqual(String(await reported.promise), "Error: broken")
  for (const listener of before) process.on("uncaughtException", listener)
  assert.deepStrictEqual(heard, [1])
})
