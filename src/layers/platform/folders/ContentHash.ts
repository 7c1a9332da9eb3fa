/** SHA-256 of texts and of files, as hexadecimal digits. */
import * as Effect from "effect/Effect"
import { type FileRefused, refused } from "../files/FileErrors.ts"
import * as RegularFile from "../files/RegularFile.ts"

export const ofTexts = (texts: Iterable<string>): string => {
  const hash = new Bun.CryptoHasher("sha256")
  // A length in front of each text keeps ["ab", "c"] apart from ["a", "bc"].
  for (const text of texts) hash.update(`${text.length}:`).update(text)
  return hash.digest("hex")
}

export interface HashedFile {
  readonly hash: string
  readonly size: number
}

const hashFile = (path: string, largest: number): HashedFile => {
  const { bytes, close } = RegularFile.load(path, largest)
  try {
    return { hash: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"), size: bytes.length }
  } finally {
    close()
  }
}

/** Refuses what is no regular file, or larger than `largest` bytes. */
export const ofFile = (path: string, largest: number): Effect.Effect<HashedFile, FileRefused> =>
  Effect.try({ try: () => hashFile(path, largest), catch: refused(path) })
