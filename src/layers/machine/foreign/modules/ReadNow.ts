/** Reads files without waiting, for functions of pi that return their result at once. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import * as Attempt from "../../engine/Attempt.ts"

/** Throws if the file cannot be read. */
export const bytes = (path: string): Uint8Array => readFileSync(path)

/** Undefined if the file cannot be read. */
export const textIfPresent = (path: string): string | undefined => Attempt.orUndefined(() => readFileSync(path, "utf8"))

/** The file of a folder that was written last, among those with this ending. */
export const newest = (folder: string, ending: string): string | undefined =>
  Attempt.orUndefined(() => {
    const files = readdirSync(folder)
      .filter((name) => name.endsWith(ending))
      .map((name) => ({ path: join(folder, name), at: statSync(join(folder, name)).mtimeMs }))
    return files.reduce<(typeof files)[number] | undefined>(
      (best, file) => (best === undefined || file.at > best.at ? file : best),
      undefined
    )?.path
  })

/** The folders in a folder. */
export const folders = (folder: string): ReadonlyArray<string> =>
  Attempt.or(() => readdirSync(folder, { withFileTypes: true }), [])
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name))
