/**
 * Every name that a released version of a host package exports, by the path of the module without its scope. Taken from
 * the packages of pi 0.37 to 1.5 and of omp 13 to 18; the names of omp are those that pi does not have.
 */
import names from "./names.json" with { type: "json" }

type Table = Readonly<Record<string, string>>

const pi: Table = names.pi
const omp: Table = names.omp
const sinclair: Table = names.sinclair

const split = (list: string | undefined): ReadonlyArray<string> => (list === undefined ? [] : list.split(" "))

export type Family = "pi" | "omp"

/** The modules of a family, such as `pi-ai/oauth`. */
export const paths = (family: Family): ReadonlyArray<string> =>
  family === "pi" ? Object.keys(pi) : [...new Set([...Object.keys(pi), ...Object.keys(omp)])]

/** pi answers an import of `pi-ai` with its older interface, which is a separate module. */
const alsoIn: Readonly<Record<string, string>> = { "pi-ai": "pi-ai/compat", "pi-ai/compat": "pi-ai" }

export const of = (family: Family, path: string): ReadonlySet<string> => {
  const also = alsoIn[path] ?? ""
  const own = [...split(pi[path]), ...split(pi[also])]
  return new Set(family === "pi" ? own : [...own, ...split(omp[path]), ...split(omp[also])])
}

/** The subpaths of `@sinclair/typebox`; the main module is `.`. */
export const sinclairPaths: ReadonlyArray<string> = Object.keys(sinclair)

export const ofSinclair = (path: string): ReadonlyArray<string> => split(sinclair[path])
