/**
 * Variables of `.env` files, for keys that the environment itself does not have (protocol.md 1.5). They never become part
 * of the environment, so programs that heddle starts do not see them.
 */
import { parseEnv } from "node:util"
import * as Effect from "effect/Effect"
import * as LocalPaths from "./LocalPaths.ts"
import type { Files } from "./OwnFiles.ts"

export interface FoundVariable {
  readonly value: string
  readonly file: string
}

export interface EnvFiles {
  /** From the first of the folders whose file has the variable. Undefined also for an empty one. */
  readonly find: (name: string) => FoundVariable | undefined
}

/** More than anybody writes by hand; a project may put any file or pipe under that name. */
const largest = 256 * 1024

type Values = Readonly<Record<string, string | undefined>>

const none: Values = {}

/** A file that cannot be read or parsed counts as empty: it may not be meant for heddle. */
const read = (files: Files, file: string): Effect.Effect<Values> =>
  files.state(file).pipe(
    Effect.flatMap((state) =>
      state?.isFile === true && state.size <= largest
        ? Effect.flatMap(files.read(file), (bytes) => Effect.try(() => parseEnv(new TextDecoder().decode(bytes))))
        : Effect.succeed(none)
    ),
    Effect.orElseSucceed(() => none)
  )

/** Where they are looked for: in the working folder, then in the home folder. */
export const foldersFor = (cwd: string): ReadonlyArray<string> => [cwd, LocalPaths.home()]

export const load = Effect.fnUntraced(function* (files: Files, folders: ReadonlyArray<string>) {
  const all = yield* Effect.forEach(folders, (folder) =>
    Effect.map(read(files, `${folder}/.env`), (values) => ({ file: `${folder}/.env`, values }))
  )
  const found: EnvFiles = {
    find: (name) => {
      for (const { file, values } of all) {
        const value = Object.hasOwn(values, name) ? values[name] : undefined
        if (value) return { value, file }
      }
      return undefined
    }
  }
  return found
})
