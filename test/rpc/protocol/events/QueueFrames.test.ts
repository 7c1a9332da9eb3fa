import { assert, it } from "@effect/vitest"
import { toRestored } from "../../../../src/rpc/protocol/events/QueueFrames.ts"
import type { QueuedMessage } from "../../../../src/domain/conversation/MessageQueue.ts"

const queued = (queue: "steering" | "followUp", ...sizes: ReadonlyArray<number>): QueuedMessage => ({
  messageId: "m",
  queue,
  text: sizes.join(),
  images: sizes.map((size) => ({ type: "image", data: "x".repeat(size), mimeType: "image/png" })),
  createdAt: 0,
  order: 0
})
const custom: QueuedMessage = {
  ...queued("steering"),
  text: "of an extension",
  custom: { customType: "c", content: "of an extension", display: true }
}
const mib = 1024 * 1024

it("what is handed back has its images, as far as they fit, and says how many do not", () => {
  const { followUp, imagesDropped, steering } = toRestored([
    queued("steering", 10 * mib, 7 * mib, 6 * mib),
    custom,
    queued("followUp", 1)
  ])
  const shown = [...steering, ...followUp].map(({ images = [], text }) => [
    text,
    ...images.map(({ data }) => data.length / mib)
  ])
  assert.deepStrictEqual(shown, [[`${10 * mib},${7 * mib},${6 * mib}`, 10, 6], ["1"]])
  assert.strictEqual(imagesDropped, 2)
  assert.deepStrictEqual(toRestored([queued("steering")]), { steering: [{ text: "" }], followUp: [] })
})
