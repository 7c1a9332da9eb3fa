/** The files that a module names in its imports, found without running it. */
import { createRequire, isBuiltin } from "node:module"
import { dirname } from "node:path"
import * as Attempt from "../engine/Attempt.ts"

type Loader = "js" | "jsx" | "ts" | "tsx"

const loaders = new Map<string, Loader>([
  ["js", "js"],
  ["cjs", "js"],
  ["mjs", "js"],
  ["jsx", "jsx"],
  ["ts", "ts"],
  ["cts", "ts"],
  ["mts", "ts"],
  ["tsx", "tsx"]
])

/** How bun reads the file; undefined for what is no code. */
export const loaderOf = (path: string): Loader | undefined => loaders.get(/\.(\w+)$/.exec(path)?.[1] ?? "")

/** Whether a `require` runs the file: bun takes every ending for code that it does not know. */
export const mayBeCode = (path: string): boolean =>
  loaderOf(path) !== undefined ||
  !/\.(?:node|json[c5]?|toml|ya?ml|txt|text|md|wasm|html?|css|sh|db|sqlite|png|jpe?g|svg)$/.test(path)

/** Scanners by language, each made once: that takes as long as a file takes. `served` are modules without a file. */
export const make = (served: ReadonlySet<string>) => {
  const scanners: Readonly<Record<Loader, Bun.Transpiler>> = {
    js: new Bun.Transpiler({ loader: "js" }),
    jsx: new Bun.Transpiler({ loader: "jsx" }),
    ts: new Bun.Transpiler({ loader: "ts" }),
    tsx: new Bun.Transpiler({ loader: "tsx" })
  }
  // What is not there, or no code, is left out: to import it fails, too.
  const named = (loader: Loader, content: Uint8Array) =>
    Attempt.or(() => scanners[loader].scanImports(content), []).map(({ path }) => path)

  /** Paths of files. An import and a `require` of one name may lead to different files. */
  return (path: string, content: Uint8Array): ReadonlyArray<string> => {
    const loader = loaderOf(path)
    if (loader === undefined) return []
    const specifiers = named(loader, content).filter((name) => !served.has(name) && !isBuiltin(name))
    const require = createRequire(path)
    return specifiers
      .flatMap((name) => [
        Attempt.or(() => Bun.resolveSync(name, dirname(path)), ""),
        Attempt.or(() => require.resolve(name), "")
      ])
      .filter((found) => found.startsWith("/") || /^[A-Za-z]:\\/.test(found))
  }
}
