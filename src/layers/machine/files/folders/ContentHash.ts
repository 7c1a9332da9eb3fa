/** SHA-256 of texts and of files, as hexadecimal digits. */
import * as nodeFs from "node:fs"
import * as Effect from "effect/Effect"
import * as Engine from "../../engine/Engine.ts"
import { FileRefused, refused } from "../FileErrors.ts"
import * as RegularFile from "../RegularFile.ts"

export const ofTexts = (texts: Iterable<string>): string => {
  const hash = Engine.sha256()
  // A length in front of each text keeps ["ab", "c"] apart from ["a", "bc"].
  for (const text of texts) hash.update(`${text.length}:`).update(text)
  return hash.digest("hex")
}

export const ofBytes = (bytes: Uint8Array): string => Engine.sha256().update(bytes).digest("hex")

export interface HashedFile {
  readonly hash: string
  readonly size: number
}

const pieceBytes = 256 * 1024

/** Counts what it reads: some files of the system say that they are empty and have no end. */
const hashFile = (path: string, largest: number): HashedFile => {
  const { fd } = RegularFile.open(path, nodeFs.constants.O_RDONLY)
  try {
    const hash = Engine.sha256()
    const piece = new Uint8Array(pieceBytes)
    let size = 0
    for (let read = nodeFs.readSync(fd, piece); read > 0; read = nodeFs.readSync(fd, piece)) {
      size += read
      if (size > largest) throw new FileRefused({ path, code: "EFBIG", message: `larger than ${largest} bytes` })
      hash.update(piece.subarray(0, read))
    }
    return { hash: hash.digest("hex"), size }
  } finally {
    nodeFs.closeSync(fd)
  }
}

/** Refuses what is no regular file, or has more than `largest` bytes. */
export const ofFile = (path: string, largest: number): Effect.Effect<HashedFile, FileRefused> =>
  Effect.try({ try: () => hashFile(path, largest), catch: refused(path) })
