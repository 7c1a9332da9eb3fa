/**
 * Variables of `.env` files, for keys that the environment itself does not have (protocol.md 1.5). They never become part
 * of the environment, so programs that heddle starts do not see them.
 */
import { parseEnv } from "node:util"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { defined } from "../../../../domain/Values.ts"
import * as LocalPaths from "../LocalPaths.ts"
import type { Files } from "./OwnFiles.ts"
import * as ReadText from "../ReadText.ts"

export interface FoundVariable {
  readonly value: string
  readonly file: string
}

export interface EnvFiles {
  /** From the first of the folders whose file has the variable. Undefined also for an empty one. */
  readonly find: (name: string) => FoundVariable | undefined
}

/** A longer file is not a list of variables. */
const largest = 256 * 1024

type Values = Readonly<Record<string, string | undefined>>

const none: Values = {}

const read = (files: Files, file: string, within?: string) =>
  Effect.flatMap(
    ReadText.readIfPresent(files, file, { largest, ...defined({ within }) }),
    Option.match({
      onNone: () => Effect.succeed(none),
      onSome: (text) =>
        Effect.try({
          try: (): Values => parseEnv(text),
          catch: () => new ReadText.TextUnreadable({ path: file, reason: "is not a list of variables" })
        })
    })
  )

/** Names of variables that a project's file has. Fails if the file cannot be read as one of a stranger. */
export const namesIn = (files: Files, folder: string) =>
  Effect.map(read(files, `${folder}/.env`, folder), (values) => new Set(Object.keys(values)))

/** In the home folder `.env` is the user's own. */
export const isHome = (cwd: string): boolean => cwd === LocalPaths.home()

export interface EnvFolders {
  readonly envFolders: ReadonlyArray<string>
  readonly project?: string
}

/** Where they are looked for: in the working folder of a project that is trusted, then in the home folder. */
export const foldersFor = ({
  cwd,
  trusted = false
}: {
  readonly cwd: string
  readonly trusted?: boolean
}): EnvFolders => ({
  envFolders: [LocalPaths.home()],
  ...(trusted && !isHome(cwd) ? { project: cwd } : {})
})

/** A file that cannot be read or parsed counts as empty: it may not be meant for heddle. */
export const load = Effect.fnUntraced(function* (files: Files, folders: ReadonlyArray<string>) {
  const all = yield* Effect.forEach(folders, (folder) =>
    read(files, `${folder}/.env`).pipe(
      Effect.orElseSucceed(() => none),
      Effect.map((values) => ({ file: `${folder}/.env`, values }))
    )
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
