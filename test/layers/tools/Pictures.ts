/** Pictures for tests, encoded by Bun or put together byte by byte. */

/** Uncompressed, because everything else is made from it: a BMP of 24 bits. */
const bmp = (width: number, height: number, colour = (i: number) => i % 251): Uint8Array => {
  const row = Math.ceil((width * 3) / 4) * 4
  const bytes = new Uint8Array(54 + row * height)
  const view = new DataView(bytes.buffer)
  bytes.set([0x42, 0x4d])
  view.setUint32(2, bytes.length, true)
  view.setUint32(10, 54, true)
  view.setUint32(14, 40, true)
  view.setInt32(18, width, true)
  view.setInt32(22, height, true)
  view.setUint16(26, 1, true)
  view.setUint16(28, 24, true)
  for (let i = 54; i < bytes.length; i++) bytes[i] = colour(i)
  return bytes
}

export const png = (width: number, height: number) => new Bun.Image(bmp(width, height)).png().bytes()
/** Does not compress: the bytes come from a generator that always begins alike. */
export const noise = (width: number, height: number) => {
  let state = 1
  const random = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 24
  return new Bun.Image(bmp(width, height, random)).png().bytes()
}
export const jpeg = (width: number, height: number) => new Bun.Image(bmp(width, height)).jpeg().bytes()
export const webp = (width: number, height: number) => new Bun.Image(bmp(width, height)).webp().bytes()
export const webpLossless = (width: number, height: number) =>
  new Bun.Image(bmp(width, height)).webp({ lossless: true }).bytes()

export const ascii = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0))
export const concat = (...parts: ReadonlyArray<Uint8Array | ReadonlyArray<number>>) =>
  Uint8Array.from(parts.flatMap((part) => [...part]))

/** Codes of one byte each: the table is cleared before they would need nine bits. */
const gifPixels = (count: number): ReadonlyArray<number> => {
  const codes: Array<number> = []
  for (let i = 0; i < count; i++) {
    if (i % 126 === 0) codes.push(128)
    codes.push(i % 128)
  }
  codes.push(129)
  const blocks: Array<number> = [7]
  for (let at = 0; at < codes.length; at += 255) {
    const block = codes.slice(at, at + 255)
    blocks.push(block.length, ...block)
  }
  return [...blocks, 0]
}

export const gif = (width: number, height: number, frames = 1): Uint8Array => {
  const size = [width & 255, width >> 8, height & 255, height >> 8]
  const palette = Array.from({ length: 128 }, (_, i) => [i, i, 2 * i]).flat()
  const delay = [0x21, 0xf9, 4, 0, 10, 0, 0, 0]
  const frame = [...delay, 0x2c, 0, 0, 0, 0, ...size, 0, ...gifPixels(width * height)]
  const body = Array.from({ length: frames }, () => frame).flat()
  return concat(ascii("GIF89a"), size, [0x86, 0, 0], palette, body, [0x3b])
}
