import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { truncate } from "node:fs/promises"
import { join } from "node:path"
import * as ImageSize from "../../../../src/layers/tools/files/ImageSize.ts"
import * as ReadImage from "../../../../src/layers/tools/files/ReadImage.ts"
import { machine } from "../RunTool.ts"
import * as Read from "../../../../src/layers/tools/files/Read.ts"
import * as Pictures from "../Pictures.ts"
import { withFiles } from "../TempFolder.ts"
import { context } from "../../../support/agent/ToolCall.ts"

const run = (cwd: string, path: string) => Read.make({ cwd, machine }).run({ path }, context)
const refusal = (cwd: string, path: string) =>
  Effect.map(Effect.flip(run(cwd, path)), ({ message }) => message.replaceAll(cwd, "."))

it.scoped("images that fit are passed on as they are, whatever their names", () =>
  Effect.gen(function* () {
    const [png, jpeg, webp] = yield* Effect.promise(() =>
      Promise.all([Pictures.png(2000, 3), Pictures.jpeg(3, 2000), Pictures.webp(5, 5)])
    )
    const pictures = [
      { name: "a.png", bytes: png, mimeType: "image/png" },
      { name: "a.txt", bytes: jpeg, mimeType: "image/jpeg" },
      { name: "a.jpg", bytes: webp, mimeType: "image/webp" },
      { name: "animated", bytes: Pictures.gif(20, 10, 3), mimeType: "image/gif" }
    ]
    const folder = yield* withFiles(Object.fromEntries(pictures.map(({ bytes, name }) => [name, bytes])))
    for (const { bytes, mimeType, name } of pictures) {
      assert.deepStrictEqual(yield* run(folder, name), {
        content: [
          { type: "text", text: `Read image file [${mimeType}]` },
          { type: "image", data: Buffer.from(bytes).toString("base64"), mimeType }
        ]
      })
    }
  })
)

it.scoped("larger ones are scaled down to fit, and the note says from what to what", () =>
  Effect.gen(function* () {
    const [png, jpeg, webp] = yield* Effect.promise(() =>
      Promise.all([Pictures.png(2001, 4), Pictures.jpeg(10, 4000), Pictures.webp(2500, 5)])
    )
    const folder = yield* withFiles({ png, jpeg, webp, gif: Pictures.gif(2400, 12, 2) })
    const seen = yield* Effect.forEach(["png", "jpeg", "webp", "gif"], (name) =>
      Effect.map(run(folder, name), ({ content, details }) =>
        content.map((block) => {
          if (block.type === "text") return block.text
          const bytes = Buffer.from(block.data, "base64")
          const type = ImageSize.typeOf(bytes)
          assert.strictEqual(type, block.mimeType)
          assert.isUndefined(details)
          return type === undefined ? undefined : ImageSize.sizeOf(bytes, type)
        })
      )
    )
    assert.deepStrictEqual(seen, [
      ["Read image file [image/png], resized from 2001x4 to 2000x4", { width: 2000, height: 4 }],
      ["Read image file [image/jpeg], resized from 10x4000 to 5x2000", { width: 5, height: 2000 }],
      ["Read image file [image/webp], resized from 2500x5 to 2000x4", { width: 2000, height: 4 }],
      [
        "Read image file [image/gif], resized from 2400x12 to 2000x10 (first frame only, as image/png)",
        { width: 2000, height: 10 }
      ]
    ])
  })
)

it.scoped("what cannot be shown is refused", () =>
  Effect.gen(function* () {
    const picture = yield* Effect.promise(() => Pictures.png(2100, 4))
    const huge = picture.slice()
    new DataView(huge.buffer).setUint32(16, 60_000)
    new DataView(huge.buffer).setUint32(20, 60_000)
    const folder = yield* withFiles({
      heavy: picture,
      header: picture.slice(0, 12),
      body: picture.slice(0, 60),
      huge
    })
    yield* Effect.promise(() => truncate(join(folder, "heavy"), 20 * 1024 * 1024 + 1024 * 1024))
    assert.deepStrictEqual(
      yield* Effect.forEach(["heavy", "header", "body", "huge"], (name) => refusal(folder, name)),
      [
        "Cannot read ./heavy: the image file is too large: 21 MiB, the limit is 20 MiB",
        "Cannot read ./header: it begins like image/png, but its header is damaged",
        "Cannot read ./body: the image is too large for a model and cannot be scaled down, because it cannot be decoded",
        "Cannot read ./huge: an image of 60000x60000 is too large to scale down (limit: 100 million pixels). Scale a copy with bash first."
      ]
    )
  })
)

it.scoped("one that fits in size but not in bytes is scaled down until it does", () =>
  Effect.gen(function* () {
    const png = yield* Effect.promise(() => Pictures.noise(1400, 1000))
    assert.isAbove(png.length, ReadImage.maxSentBytes)
    const folder = yield* withFiles({ png })
    const { content } = yield* run(folder, "png")
    const [note, image] = content
    assert.match(note?.type === "text" ? note.text : "", /resized from 1400x1000 to 1000x714$/)
    assert.isAtMost(image?.type === "image" ? image.data.length : Infinity, 5 * 1024 * 1024)
  })
)
