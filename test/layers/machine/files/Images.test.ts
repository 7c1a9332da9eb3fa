import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Images from "../../../../src/layers/machine/files/Images.ts"
import * as ImageSize from "../../../../src/layers/tools/files/ImageSize.ts"
import * as Pictures from "../../tools/Pictures.ts"

it.effect.each([
  { encodeAs: "image/png" as const, make: Pictures.png },
  { encodeAs: "image/jpeg" as const, make: Pictures.jpeg },
  { encodeAs: "image/webp" as const, make: Pictures.webp }
])("fits $encodeAs into the square and keeps its proportions", ({ encodeAs, make }) =>
  Effect.gen(function* () {
    const original = yield* Effect.promise(() => make(80, 40))
    const { bytes, height, width } = yield* Images.shrink(original, { maxSide: 20, encodeAs })
    assert.deepStrictEqual({ width, height }, { width: 20, height: 10 })
    assert.strictEqual(ImageSize.typeOf(bytes), encodeAs)
    assert.deepStrictEqual(ImageSize.sizeOf(bytes, encodeAs), { width: 20, height: 10 })
  })
)

it.effect("never makes an image larger", () =>
  Effect.gen(function* () {
    const original = yield* Effect.promise(() => Pictures.png(8, 4))
    const { height, width } = yield* Images.shrink(original, { maxSide: 20, encodeAs: "image/png" })
    assert.deepStrictEqual({ width, height }, { width: 8, height: 4 })
  })
)

it.effect("says why it could not", () =>
  Effect.gen(function* () {
    const picture = yield* Effect.promise(() => Pictures.png(80, 40))
    const huge = picture.slice()
    new DataView(huge.buffer).setUint32(16, 60_000)
    new DataView(huge.buffer).setUint32(20, 60_000)
    const reasons = yield* Effect.forEach([picture.slice(0, 60), new Uint8Array(8), huge], (bytes) =>
      Effect.map(Effect.flip(Images.shrink(bytes, { maxSide: 20, encodeAs: "image/png" })), ({ reason }) => reason)
    )
    assert.deepStrictEqual(reasons, ["undecodable", "undecodable", "too_many_pixels"])
  })
)
