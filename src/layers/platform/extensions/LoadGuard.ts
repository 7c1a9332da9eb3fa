/**
 * Compares the code of a project with what the user trusted when bun loads it: a module may be imported long after the start,
 * and behind links. bun cannot be made to go on with a file that a hook has seen, so modules are run from the bytes
 * that were compared. CommonJS and packages have to be left to bun: they are compared before anything of the project is
 * loaded, and again by every `require`.
 */
import { readFileSync } from "node:fs"
import Module from "node:module"
import { sep } from "node:path"
import * as Effect from "effect/Effect"
import { globalValue } from "effect/GlobalValue"
import * as ContentHash from "../folders/ContentHash.ts"
import * as ImportScan from "./ImportScan.ts"

export interface GuardOptions {
  /** SHA-256 of the files that may be loaded, by their path without links. */
  readonly code: ReadonlyMap<string, string>
  /** The folder of the project, without links. All code below it is guarded. */
  readonly root: string
  /** Folders below it that are not. */
  readonly free: ReadonlyArray<string>
}

interface Guard {
  code: GuardOptions["code"]
  isGuarded: (path: string) => boolean
  /** Those that bun knows. */
  readonly filters: Set<string>
}

/** Bun keeps one table of hooks for the process, so there is one of these. */
const guard = globalValue("heddle/layers/platform/extensions/LoadGuard", (): Guard => ({
  code: new Map(),
  isGuarded: () => false,
  filters: new Set()
}))

const read = (path: string): Uint8Array | undefined => {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

const advice = "Start heddle again to be asked about it. While you work on an extension, start heddle with --approve."

/** The bytes of the file, or the error that keeps it from being loaded. */
const compared = (path: string): Uint8Array => {
  const wanted = guard.code.get(path)
  if (wanted === undefined) {
    throw new Error(
      `${path} was not loaded: it was not there when you trusted this project, or it is imported by a computed path. ` +
        `Import it by its name, or put it into the folder of the extension. ${advice}`
    )
  }
  const content = read(path)
  if (content !== undefined && ContentHash.ofBytes(content) === wanted) return content
  throw new Error(`${path} was not loaded: it has changed since you trusted this project. ${advice}`)
}

const commonJs = /\b(?:module\s*\.\s*exports|exports\s*\.\s*\w+\s*=|exports\s*\[)/
const moduleSyntax = /^\s*(?:import\b(?!\s*\()|export\b)/m

/** Whether the file is certainly a module: bun would take it for one without the hook, too. */
const isModule = (path: string, content: Uint8Array): boolean => {
  if (path.includes(`${sep}node_modules${sep}`) || /\.c[jt]s$/.test(path)) return false
  const text = new TextDecoder().decode(content)
  return !commonJs.test(text) && moduleSyntax.test(text)
}

/** The files that are as they were and that only bun can load. */
const leftToBun = (code: GuardOptions["code"]): ReadonlyArray<string> =>
  [...code].flatMap(([path, hash]) => {
    if (ImportScan.loaderOf(path) === undefined) return []
    const content = read(path)
    const isSame = content !== undefined && ContentHash.ofBytes(content) === hash
    return isSame && !isModule(path, content) ? [path] : []
  })

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
const anyOf = (texts: ReadonlyArray<string>) => `(?:${texts.length === 0 ? "(?!)" : texts.map(escaped).join("|")})`

const ending = String.raw`\.[cm]?[jt]sx?`
const query = String.raw`(?:\?.*)?$`

const install = (filter: string) => {
  if (guard.filters.has(filter)) return
  guard.filters.add(filter)
  Bun.plugin({
    name: "heddle-trust",
    setup: (build) => {
      build.onLoad({ filter: new RegExp(filter) }, ({ path: asked }) => {
        const path = asked.replace(/\?.*$/s, "")
        const contents = compared(path)
        return { contents, loader: ImportScan.loaderOf(path) ?? "js" }
      })
    }
  })
}

/** `require` goes through this function of node, which leaves the loading to bun. */
const guardRequire = () => {
  const resolve: unknown = Reflect.get(Module, "_resolveFilename")
  if (typeof resolve !== "function") return
  Reflect.set(Module, "_resolveFilename", function (this: unknown, ...args: ReadonlyArray<unknown>): unknown {
    const found: unknown = Reflect.apply(resolve, this, args)
    if (typeof found === "string" && guard.isGuarded(found)) compared(found)
    return found
  })
}

/** From now on nothing else of the project is loaded. What was loaded before stays. */
export const guardProject = ({ code, free, root }: GuardOptions): Effect.Effect<void> =>
  Effect.sync(() => {
    const isFirst = guard.filters.size === 0
    guard.code = code
    const outside = [...code.keys()].filter(
      (path) => !path.startsWith(root + sep) && ImportScan.loaderOf(path) !== undefined
    )
    const native = anyOf(leftToBun(code))
    const exempt = anyOf(free.map((folder) => folder + sep))
    const project = new RegExp(`^(?!${exempt})(?:${escaped(root + sep)}.*(?:${ending}|\\.node)|${anyOf(outside)})$`)
    guard.isGuarded = (path) => project.test(path)
    install(`^(?!${exempt})(?!${native}${query})(?:${escaped(root + sep)}.*${ending}|${anyOf(outside)})${query}`)
    if (isFirst) guardRequire()
  })
