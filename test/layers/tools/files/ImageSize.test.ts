import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as ImageSize from "../../../../src/layers/tools/files/ImageSize.ts"
import * as Pictures from "../Pictures.ts"

const { ascii, concat } = Pictures

const inspect = (bytes: Uint8Array) => {
  const type = ImageSize.typeOf(bytes)
  return { type, size: type === undefined ? undefined : ImageSize.sizeOf(bytes, type) }
}

describe("type and size", () => {
  const size = { width: 37, height: 21 }
  it.each([
    ["image/png", Pictures.png],
    ["image/jpeg", Pictures.jpeg],
    ["image/webp", Pictures.webp],
    ["image/webp", Pictures.webpLossless],
    ["image/gif", async (width: number, height: number) => Pictures.gif(width, height)]
  ])("%s", async (type, make) => {
    const { type: found, size: measured } = inspect(await make(37, 21))
    assert.strictEqual(found, type)
    assert.deepStrictEqual(measured, size)
  })

  it("an extended WebP", () => {
    const bytes = concat(ascii("RIFF....WEBPVP8X"), [10, 0, 0, 0], [0, 0, 0, 0], [0xff, 0x0f, 0], [0x01, 0, 0])
    assert.deepStrictEqual(inspect(bytes), { type: "image/webp", size: { width: 4096, height: 2 } })
  })

  it("an old GIF", () => {
    const bytes = concat(ascii("GIF87a"), [1, 1, 2, 0])
    assert.deepStrictEqual(inspect(bytes), { type: "image/gif", size: { width: 257, height: 2 } })
  })

  it("a JPEG with long profiles, fill bytes and a table in front of the frame", async () => {
    const plain = await Pictures.jpeg(37, 21)
    const profile = concat([0xff, 0xe2, 0xff, 0xff], new Uint8Array(0xfffd).fill(0xff))
    const table = [0xff, 0xc4, 0, 3, 7]
    const bytes = concat([0xff, 0xd8], profile, profile, [0xff, 0xff], table, plain.subarray(2))
    assert.deepStrictEqual(inspect(bytes), { type: "image/jpeg", size })
  })
})

describe("not an image, or a damaged one", () => {
  it.each([
    ["text", ascii("# Title\n")],
    ["nothing", new Uint8Array()],
    ["RIFF that is sound", ascii("RIFF....WAVEfmt ")],
    ["half a signature", Uint8Array.of(0x89, 0x50, 0x4e)]
  ])("%s has no type", (_, bytes) => {
    assert.strictEqual(ImageSize.typeOf(bytes), undefined)
  })

  it.each([
    ["PNG without its header", concat([0x89], ascii("PNG\r\n\u001a\n"), ascii("....JUNK"), new Uint8Array(20))],
    ["PNG of no width", concat([0x89], ascii("PNG\r\n\u001a\n....IHDR"), [0, 0, 0, 0], [0, 0, 0, 1])],
    ["JPEG that ends early", Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 16)],
    ["JPEG without a frame", Uint8Array.of(0xff, 0xd8, 0xff, 0xda, 0, 2, 0, 0)],
    ["JPEG with noise between segments", Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 2, 7, 7)],
    ["GIF that ends early", ascii("GIF89a")],
    ["WebP of an unknown kind", ascii("RIFF....WEBPVP9 ")],
    ["WebP without start code", concat(ascii("RIFF....WEBPVP8 "), new Uint8Array(30))],
    ["lossless WebP without signature", concat(ascii("RIFF....WEBPVP8L"), new Uint8Array(30))]
  ])("%s has no size", (_, bytes) => {
    assert.isDefined(ImageSize.typeOf(bytes))
    assert.strictEqual(inspect(bytes).size, undefined)
  })

  it.prop(
    "any bytes behind a signature are survived",
    [fc.constantFrom([0xff, 0xd8, 0xff], [...ascii("GIF89a")], [...ascii("RIFF....WEBPVP8X")]), fc.uint8Array()],
    ([signature, rest]) => {
      const { size } = inspect(concat(signature, rest))
      if (size !== undefined) assert.isTrue(size.width > 0 && size.height > 0)
    }
  )
})
