/**
 * Digests of files and of whole folders: names, kinds and contents, within bounds. A link to a folder counts with where it
 * leads and is not followed, and a file outside of the project that a link leads to is not read: its stamp counts.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { type Files, OwnFiles } from "../../machine/files/own/OwnFiles.ts"
import * as ContentHash from "../../machine/files/folders/ContentHash.ts"
import * as FolderEntries from "../../machine/files/folders/FolderEntries.ts"

/** More than extensions of a project have, unless they bring their dependencies along. */
const mostFiles = 10_000
const mostBytes = 64 * 1024 * 1024

/** What may still be read. */
export interface Budget {
  files: number
  bytes: number
}

interface Item {
  readonly path: string
  /** Below the path that the digest is for. */
  readonly name: string
  readonly isLink: boolean
}

/** Undefined if the link has to be read like a file of the project. */
const lineOfLink = Effect.fnUntraced(function* (files: Files, { name, path }: Item, within: string) {
  const real = Option.getOrElse(yield* Effect.option(files.real(path)), () => "")
  const state = Option.getOrUndefined(yield* Effect.option(files.state(path)))
  const isInside = state?.isFile === true && real.startsWith(`${within}/`)
  return isInside ? undefined : `${name}\0link\0${real}\0${state?.isFile === true ? state.stamp : ""}`
})

/** What the digest of a path is made of. Undefined when the budget is used up. `hashes` gets every file by its real path. */
const linesOf = Effect.fnUntraced(function* (start: Item, within: string, budget: Budget, hashes: Map<string, string>) {
  const files = yield* OwnFiles
  const lines: Array<string> = []
  const pending = [start]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { isLink, name, path } = next
    if (--budget.files < 0) return undefined
    const link = isLink ? yield* lineOfLink(files, next, within) : undefined
    if (link !== undefined) {
      lines.push(link)
      continue
    }
    const file = yield* Effect.either(ContentHash.ofFile(path, budget.bytes))
    if (Either.isRight(file)) {
      budget.bytes -= file.right.size
      hashes.set(isLink ? yield* Effect.orElseSucceed(files.real(path), () => path) : path, file.right.hash)
      lines.push(`${name}\0file\0${file.right.hash}`)
      continue
    }
    if (file.left.code === "EFBIG") return undefined
    const content = yield* Effect.either(FolderEntries.read(path, budget.files))
    if (Either.isLeft(content)) lines.push(`${name}\0${file.left.code}`)
    else if (content.right.hasMore) return undefined
    else {
      const inside = content.right.entries.filter((entry) => entry.name !== ".git")
      for (const entry of inside.toReversed()) pending.push({ ...entry, name: `${name}/${entry.name}` })
    }
  }
  return lines
})

/**
 * By path; those where there is nothing have none. Not whole if there is more than the bounds allow. `within` is the
 * real path of the project.
 */
export const ofAll = Effect.fnUntraced(function* (paths: ReadonlyArray<string>, within: string) {
  const files = yield* OwnFiles
  const budget: Budget = { files: mostFiles, bytes: mostBytes }
  const digests = new Map<string, string>()
  const hashes = new Map<string, string>()
  let isWhole = true
  for (const path of paths) {
    const state = yield* Effect.option(files.state(path))
    if (Option.isSome(state) && state.value === undefined) continue
    const real = yield* Effect.option(files.real(path))
    const isLink = Option.isNone(real) || real.value !== path
    const lines = yield* linesOf({ path, name: "", isLink }, within, budget, hashes)
    if (lines === undefined) isWhole = false
    else digests.set(path, ContentHash.ofTexts(lines))
  }
  return { digests, hashes, isWhole, budget }
})
