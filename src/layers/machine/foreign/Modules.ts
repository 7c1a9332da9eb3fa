/** Loads the files of extensions, and forgets them for a reload. */
import { dirname, sep } from "node:path"
import * as Effect from "effect/Effect"
import { failureOf, ForeignFailure } from "./ForeignCall.ts"

export type Factory = (api: object) => unknown

const isFactory = (value: unknown): value is Factory => typeof value === "function"

/** The default export; CommonJS code that was compiled from a module has it one level deeper. */
const factoryOf = (module: unknown): Factory | undefined => {
  let found = module
  for (let depth = 0; depth < 2; depth++) {
    if (typeof found !== "object" || found === null || !("default" in found)) return undefined
    found = found.default
    if (isFactory(found)) return found
  }
  return undefined
}

/** The factory of an extension. The file runs only once, until it is forgotten. */
export const load = (path: string): Effect.Effect<Factory, ForeignFailure> =>
  Effect.tryPromise({
    try: (): Promise<unknown> => import(path),
    catch: failureOf
  }).pipe(
    Effect.flatMap((module) => {
      const factory = factoryOf(module)
      return factory === undefined
        ? new ForeignFailure({ message: "The extension must export a function as its default." })
        : Effect.succeed(factory)
    })
  )

/** The folder that belongs to the extension of an entry file. */
export const folderOf = (path: string): string => `${dirname(path)}${sep}`

/** Installed packages stay loaded: they do not change, and some cannot be loaded twice. */
const isOwn = (file: string, folder: string) =>
  file.startsWith(folder) && !file.slice(folder.length).includes(`node_modules${sep}`)

/** Every file below these folders runs again when it is imported the next time. */
export const forget = (folders: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.sync(() => {
    for (const file of Object.keys(require.cache)) {
      if (folders.some((folder) => isOwn(file, folder))) Reflect.deleteProperty(require.cache, file)
    }
  })
