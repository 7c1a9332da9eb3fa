/** What a search has found so far: each file once, by its real path, and not more than anybody can want. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SourceInfo } from "../../../domain/extension/SourceInfo.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import type { Found, FoundExtension, FoundPath } from "./Discovery.ts"
import * as Entries from "./Entries.ts"
import type { Look } from "./Look.ts"

type Origin = Omit<SourceInfo, "path">

interface Wanted {
  /** It loads whatever is disabled. */
  readonly isExplicit: boolean
  readonly isRequired?: boolean
}

export interface Gathering {
  readonly extension: (path: string, origin: Origin, options?: Wanted) => Effect.Effect<void>
  /** Does nothing where there is nothing. */
  readonly text: (kind: "skills" | "prompts", path: string, origin: Origin) => Effect.Effect<void>
  /** Whether the package was named before. The first one that names it decides what is taken from it. */
  readonly hasPackage: (root: string) => Effect.Effect<boolean>
  readonly found: () => Omit<Found, "problems" | "missing">
}

const most = 1000

/** omp writes `extension-module:name`. */
const plainName = (name: string) => name.replace(/^extension-module:/, "")

/** The folder of the package that an extension belongs to. */
const packageOf = ({ baseDir, origin }: Origin) =>
  origin === "package" && baseDir !== undefined ? LocalPaths.basename(baseDir) : undefined

const npmNameOf = ({ source }: Origin) => /^npm:(@?[^@]+)/.exec(source)?.[1]

export const make = (look: Look, disabled: ReadonlyArray<string>): Gathering => {
  const unwanted = new Set(disabled.map(plainName))
  const isUnwanted = (name: string, origin: Origin) =>
    unwanted.has(name) || [packageOf(origin), npmNameOf(origin)].some((own) => own !== undefined && unwanted.has(own))
  const seen = new Set<string>()
  let isFull = false
  const extensions = new Map<string, FoundExtension>()
  const texts: Record<"skills" | "prompts", Array<FoundPath>> = { skills: [], prompts: [] }
  /** The real path, if nothing else had it. */
  const fresh = (kind: string, path: string) =>
    Effect.map(Effect.option(look.files.real(path)), (real) => {
      if (Option.isNone(real) || seen.has(`${kind} ${real.value}`)) return undefined
      seen.add(`${kind} ${real.value}`)
      return real.value
    })
  const extension: Gathering["extension"] = Effect.fnUntraced(function* (path, origin, options) {
    const name = Entries.nameOf(path, packageOf(origin))
    if (options?.isExplicit !== true && isUnwanted(name, origin)) return
    const isRequired = options?.isRequired === true
    const before = isRequired
      ? extensions.get(yield* Effect.orElseSucceed(look.files.real(path), () => path))
      : undefined
    if (before !== undefined) extensions.set(before.path, { ...before, isRequired })
    if (!isRequired && extensions.size >= most) {
      if (!isFull) look.report(path, `there are more than ${most} extensions; this one and all after it were left out`)
      isFull = true
      return
    }
    const real = yield* fresh("extension", path)
    if (real === undefined) return
    extensions.set(real, { name, path: real, scope: origin.scope, sourceInfo: { path: real, ...origin }, isRequired })
  })
  const text: Gathering["text"] = Effect.fnUntraced(function* (kind, path, origin) {
    const real = texts[kind].length < most ? yield* fresh(kind, path) : undefined
    if (real !== undefined) texts[kind].push({ path: real, sourceInfo: { path: real, ...origin } })
  })
  return {
    extension,
    text,
    hasPackage: (root) => Effect.map(fresh("package", root), (real) => real === undefined),
    found: () => ({ extensions: [...extensions.values()], skillPaths: texts.skills, promptPaths: texts.prompts })
  }
}
