/** Recognizes images by their first bytes and reads their size from the header, without decoding them. */

export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp"

export interface Size {
  readonly width: number
  readonly height: number
}

const ascii = (bytes: Uint8Array, at: number, text: string): boolean => {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false
  return true
}

/** Goes by the content, not by the file name. */
export const typeOf = (head: Uint8Array): ImageType | undefined => {
  if (head[0] === 0x89 && ascii(head, 1, "PNG\r\n\u001a\n")) return "image/png"
  if (head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff) return "image/jpeg"
  if (ascii(head, 0, "GIF87a") || ascii(head, 0, "GIF89a")) return "image/gif"
  if (ascii(head, 0, "RIFF") && ascii(head, 8, "WEBP")) return "image/webp"
  return undefined
}

/** Bytes past the end read as zeros, and no size that contains them passes the final check. */
const reader = (bytes: Uint8Array) => {
  const byte = (at: number) => bytes[at] ?? 0
  const little16 = (at: number) => byte(at) + byte(at + 1) * 0x100
  const big16 = (at: number) => byte(at) * 0x100 + byte(at + 1)
  return {
    byte,
    little16,
    big16,
    little24: (at: number) => little16(at) + byte(at + 2) * 0x10000,
    big32: (at: number) => big16(at) * 0x10000 + big16(at + 2)
  }
}

const png = (bytes: Uint8Array): Size | undefined => {
  const { big32 } = reader(bytes)
  return ascii(bytes, 12, "IHDR") ? { width: big32(16), height: big32(20) } : undefined
}

const gif = (bytes: Uint8Array): Size => {
  const { little16 } = reader(bytes)
  return { width: little16(6), height: little16(8) }
}

const webp = (bytes: Uint8Array): Size | undefined => {
  const { byte, little16, little24 } = reader(bytes)
  if (ascii(bytes, 12, "VP8 ")) {
    const hasStartCode = byte(23) === 0x9d && byte(24) === 0x01 && byte(25) === 0x2a
    return hasStartCode ? { width: little16(26) & 0x3fff, height: little16(28) & 0x3fff } : undefined
  }
  if (ascii(bytes, 12, "VP8L")) {
    // Two fields of 14 bits, each holding the size minus one.
    const bits = little24(21) + byte(24) * 0x1000000
    return byte(20) === 0x2f ? { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 } : undefined
  }
  if (ascii(bytes, 12, "VP8X")) return { width: little24(24) + 1, height: little24(27) + 1 }
  return undefined
}

/** Start of frame: C0 to CF, except for three with another meaning. */
const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
const standsAlone = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)

const jpeg = (bytes: Uint8Array): Size | undefined => {
  const { big16, byte } = reader(bytes)
  let at = 2
  while (at < bytes.length) {
    if (byte(at) !== 0xff) return undefined
    const marker = byte(at + 1)
    if (marker === 0xff) at += 1
    else if (standsAlone(marker)) at += 2
    else if (isFrame(marker)) return { width: big16(at + 7), height: big16(at + 5) }
    else if (marker === 0xda || marker === 0xd9) return undefined
    else at += 2 + Math.max(2, big16(at + 2))
  }
  return undefined
}

const sizes = { "image/png": png, "image/jpeg": jpeg, "image/gif": gif, "image/webp": webp } as const

/** Undefined when the header is damaged. A JPEG may have megabytes of profiles in front of it: give all bytes. */
export const sizeOf = (bytes: Uint8Array, type: ImageType): Size | undefined => {
  const size = sizes[type](bytes)
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
}
