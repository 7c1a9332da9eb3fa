/**
 * Compares the code of a project with what the user trusted when bun loads it: a module may be imported long after the start,
 * and behind links. bun cannot be made to go on with a file that a hook has seen, so modules are run from the bytes
 * that were compared. CommonJS and packages are left to bun while extensions load: they are compared before anything of the
 * project is loaded, and again by every `require`. What is loaded later is run from the compared bytes, too.
 */
import { readFileSync, realpathSync } from "node:fs"
import Module, { createRequire } from "node:module"
import { dirname, sep } from "node:path"
import * as Effect from "effect/Effect"
import { globalValue } from "effect/GlobalValue"
import * as Attempt from "../engine/Attempt.ts"
import * as ContentHash from "../files/folders/ContentHash.ts"
import * as ImportScan from "./ImportScan.ts"

export interface GuardOptions {
  /** SHA-256 of the files that may be loaded, by their path without links. */
  readonly code: ReadonlyMap<string, string>
  /** The folder of the project, without links. All code below it is guarded. */
  readonly root: string
  /** Folders that are not, and that it may import from: those below it, and others. */
  readonly free: ReadonlyArray<string>
}

interface Guard {
  code: GuardOptions["code"]
  isGuarded: (path: string) => boolean
  /** Whether a file of the project may import the one at this path. */
  mayImport: (path: string) => boolean
  /** The filter of the files that bun has loaded by itself; undefined once the extensions are loaded. */
  native: string | undefined
  isSealed: boolean
  /** Those that bun knows. */
  readonly filters: Set<string>
}

/** Bun keeps one table of hooks for the process, so there is one of these. */
const guard = globalValue("heddle/layers/machine/foreign/LoadGuard", (): Guard => ({
  code: new Map(),
  isGuarded: () => false,
  mayImport: () => true,
  native: undefined,
  isSealed: false,
  filters: new Set()
}))

const read = (path: string): Uint8Array | undefined => Attempt.orUndefined(() => readFileSync(path))

/** A path as bun hands it over. */
const withoutQuery = (path: string) => path.replace(/\?.*$/s, "")

const advice = "Start heddle again to be asked about it. While you work on an extension, start heddle with --approve."

const unknown = (path: string) =>
  new Error(
    `${path} was not loaded: it was not there when you trusted this project, or it is imported by a computed path. ` +
      `Import it by its name, or put it into the folder of the extension. ${advice}`
  )

/** The bytes of the file, or the error that keeps it from being loaded. */
const compared = (path: string): Uint8Array => {
  const wanted = guard.code.get(path)
  if (wanted === undefined) throw unknown(path)
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

/** Whether bun takes the file for a module. */
const isEsm = (path: string, text: string): boolean => {
  const loader = ImportScan.loaderOf(path) ?? "js"
  if (/\.[cm][jt]s$/.test(path)) return /\.m[jt]s$/.test(path)
  const { exports, imports } = new Bun.Transpiler({ loader }).scan(text)
  return exports.length > 0 || imports.some(({ kind }) => kind === "import-statement") || /\bimport\.meta\b/.test(text)
}

/** Runs CommonJS from the bytes that were compared, as a `require` of bun would, which then finds it in the cache. */
const runCommonJs = (path: string, content: Uint8Array): void => {
  if (Object.hasOwn(require.cache, path)) return
  const loader = ImportScan.loaderOf(path) ?? "js"
  const text = new TextDecoder().decode(content)
  if (isEsm(path, text)) return
  const made = new Module(path)
  made.filename = path
  const compile: unknown = Reflect.get(made, "_compile")
  if (typeof compile !== "function") throw new Error(`${path} was not loaded: bun cannot run it from what was compared`)
  Reflect.set(require.cache, path, made)
  try {
    Reflect.apply(compile, made, [loader === "js" ? text : new Bun.Transpiler({ loader }).transformSync(text), path])
    made.loaded = true
  } catch (error) {
    Reflect.deleteProperty(require.cache, path)
    throw error
  }
}

/** What a module sees of CommonJS that it imports. */
const namesOf = (exported: unknown): Record<string, unknown> => {
  const isOpen = (typeof exported === "object" && exported !== null) || typeof exported === "function"
  if (!isOpen) return { default: exported }
  const isCompiled = "__esModule" in exported && exported.__esModule === true && "default" in exported
  return { ...exported, default: isCompiled ? exported.default : exported }
}

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
        const path = withoutQuery(asked)
        const contents = compared(path)
        const loader = ImportScan.loaderOf(path) ?? "js"
        if (!guard.isSealed || isEsm(path, new TextDecoder().decode(contents))) return { contents, loader }
        return { exports: namesOf(createRequire(path)(path)), loader: "object" }
      })
    }
  })
}

/** To resolve a path asks the hooks, too. */
let isResolving = false

/** Without links. Undefined for what is not there: to import it fails, too. */
const resolved = (specifier: string, from: string): string | undefined => {
  isResolving = true
  const found = Attempt.orUndefined(() => realpathSync(Bun.resolveSync(specifier, from)))
  isResolving = false
  return found
}

/** A link may lead out of the project to another file than the one that was compared: bun asks for that one by its path alone. */
const guardLinks = () =>
  Bun.plugin({
    name: "heddle-trust-links",
    setup: (build) => {
      build.onResolve({ filter: /^(?:\.{0,2}\/|file:)/ }, ({ importer, path }) => {
        const from = withoutQuery(importer)
        const found = !isResolving && guard.isGuarded(from) ? resolved(withoutQuery(path), dirname(from)) : undefined
        if (found !== undefined && !guard.mayImport(found)) throw unknown(found)
        return undefined
      })
    }
  })

/** `require` goes through this function of node, which leaves the loading to bun. */
const guardRequire = () => {
  const resolve: unknown = Reflect.get(Module, "_resolveFilename")
  if (typeof resolve !== "function") return
  Reflect.set(Module, "_resolveFilename", function (this: unknown, ...args: ReadonlyArray<unknown>): unknown {
    const found: unknown = Reflect.apply(resolve, this, args)
    if (typeof found === "string" && guard.isGuarded(found)) {
      const content = compared(found)
      if (guard.isSealed && ImportScan.mayBeCode(found)) runCommonJs(found, content)
    }
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
    // A project may itself lie in such a folder: that makes its own code no freer.
    const exempt = anyOf(free.flatMap((folder) => (folder.startsWith(root + sep) ? [folder + sep] : [])))
    const project = new RegExp(`^(?!${exempt})(?:${escaped(root + sep)}.*|${anyOf(outside)})$`)
    guard.isGuarded = (path) => project.test(path) && (ImportScan.mayBeCode(path) || path.endsWith(".node"))
    guard.mayImport = (path) =>
      code.has(path) || path.startsWith(root + sep) || free.some((folder) => path.startsWith(folder + sep))
    guard.native = `^${native}${query}`
    install(`^(?!${exempt})(?!${native}${query})(?:${escaped(root + sep)}.*${ending}|${anyOf(outside)})${query}`)
    if (!isFirst) return
    guardRequire()
    guardLinks()
  })

/** The extensions are loaded: what bun was left to load is compared from now on when it is loaded, as all else. */
export const seal: Effect.Effect<void> = Effect.sync(() => {
  if (guard.native === undefined) return
  install(guard.native)
  guard.isSealed = true
  guard.native = undefined
})
