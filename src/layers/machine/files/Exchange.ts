/**
 * Replaces a file of the user only if it is still as it was when it was copied: it is compared right before one rename puts the
 * other file into its place. A reader sees the old file or the new one, never a part and never none.
 */
import * as nodeFs from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { copyFile, look } from "./Copies.ts"

export interface Exchanged {
  /** Below `root`, and not behind a link. */
  readonly path: string
  readonly root: string
  /** A copy of what is at the path, or a path at which there is nothing. */
  readonly before: string
  /** What should be there; where there is nothing, the file is removed. */
  readonly after: string
  /** The name of the new file until it is in its place. */
  readonly draft: string
}

/** A folder counts as nothing: a file can take its place once it is empty. */
const kindOf = (stats: nodeFs.Stats | undefined): "nothing" | "file" | "link" | "odd" => {
  if (stats === undefined || stats.isDirectory()) return "nothing"
  if (stats.isFile()) return "file"
  return stats.isSymbolicLink() ? "link" : "odd"
}

/** Whether both are files with the same bytes and the same right to execute, links to the same path, or nothing. */
export const isSame = (one: string, other: string): boolean => {
  const [first, second] = [look(one), look(other)]
  const kind = kindOf(first)
  if (kind !== kindOf(second) || kind === "odd") return false
  if (kind === "link") return nodeFs.readlinkSync(one) === nodeFs.readlinkSync(other)
  if (kind === "nothing" || first === undefined || second === undefined) return true
  if (first.size !== second.size || (first.mode & 0o100) !== (second.mode & 0o100)) return false
  return nodeFs.readFileSync(one).equals(nodeFs.readFileSync(other))
}

/** The folders between the root and the path, from the top down. */
const above = (root: string, path: string): ReadonlyArray<string> => {
  const parts = relative(root, dirname(path)).split(sep)
  return parts[0] === "" ? [] : parts.map((_, at) => join(root, ...parts.slice(0, at + 1)))
}

const isBehindLink = (root: string, path: string): boolean =>
  above(root, path).some((folder) => look(folder)?.isSymbolicLink() === true)

const removeEmpty = (folders: ReadonlyArray<string>): void => {
  try {
    for (const folder of folders) nodeFs.rmdirSync(folder)
  } catch {
    // It has other files.
  }
}

/** False where the path has something else than `before`, or is behind a link: nothing has changed then. */
export const exchange = ({ after, before, draft, path, root }: Exchanged): boolean => {
  if (isBehindLink(root, path) || !isSame(path, before)) return false
  if (kindOf(look(after)) === "nothing") {
    nodeFs.rmSync(path, { force: true })
    removeEmpty(above(root, path).toReversed())
    return true
  }
  nodeFs.mkdirSync(dirname(path), { recursive: true })
  const whole = join(dirname(path), draft)
  try {
    copyFile(after, whole)
    if (!isSame(path, before)) return false
    if (look(path)?.isDirectory() === true) removeEmpty([path])
    nodeFs.renameSync(whole, path)
    return true
  } finally {
    nodeFs.rmSync(whole, { force: true })
  }
}
