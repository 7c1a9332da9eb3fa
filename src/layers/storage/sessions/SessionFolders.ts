/** Where session files are and what they are called (protocol.md 9.1). */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Settings } from "../../../services/Settings.ts"
import { absolute, home, join, resolve } from "../../machine/files/LocalPaths.ts"
import { OwnFiles } from "../../machine/files/own/OwnFiles.ts"
import * as Environment from "../../machine/processes/Environment.ts"

export * from "../../../domain/session/SessionFile.ts"

export interface Location {
  readonly agentDir: string
  readonly cwd: string
  readonly home: string
  /** The folder that the user chose; it holds the sessions of all working folders side by side. */
  readonly sessionDir?: string
}

export interface LocationOptions {
  readonly agentDir: string
  readonly cwd: string
  readonly sessionDir?: string
}

/** The command line decides before the environment, the environment before the settings. */
export const locate = Effect.fnUntraced(function* ({ agentDir, cwd, sessionDir }: LocationOptions) {
  const settings = yield* Settings
  const variable = Option.getOrUndefined(yield* Environment.variable("PI_CODING_AGENT_SESSION_DIR"))
  const folder = sessionDir ?? variable ?? settings.sessionDir
  const chosen = folder === undefined ? {} : { sessionDir: absolute(cwd, folder) }
  return { agentDir: resolve(agentDir), cwd, home: home(), ...chosen } satisfies Location
})

const joined = (path: string) => path.replaceAll(/[/\\:]/g, "-")

export const root = ({ agentDir }: Location): string => join(agentDir, "sessions")

export const own = (location: Location): string =>
  location.sessionDir ?? join(root(location), `--${joined(location.cwd.replace(/^[/\\]/, ""))}--`)

const reasons = new Map([
  ["EACCES", "permission denied"],
  ["EPERM", "permission denied"],
  ["EROFS", "the file system is read-only"]
])

/** Says so at start where sessions will not be stored. heddle works all the same. */
export const warnIfUnwritable = (location: Location) =>
  Effect.flatMap(OwnFiles, ({ checkWritable }) =>
    Effect.catchAll(checkWritable(own(location)), ({ code, message, path }) =>
      Effect.logWarning(
        `sessions cannot be stored in ${own(location)}: ${reasons.get(code) ?? `${path}: ${message}`}. ` +
          "heddle works in memory, and the conversation is lost when it ends. " +
          "Choose a folder with --session-dir or HEDDLE_AGENT_DIR, or pass --no-session."
      )
    )
  )

const below = (cwd: string, folder: string): string | undefined => {
  if (cwd === folder) return ""
  return cwd.startsWith(`${folder}/`) ? cwd.slice(folder.length + 1) : undefined
}

/** xcsh has shorter names for folders below the home folder and below /tmp. */
const ofXcsh = ({ cwd, home }: Location): ReadonlyArray<string> => {
  const [inHome, inTemp] = [below(cwd, home), below(cwd, "/tmp")]
  return [
    ...(inHome === undefined ? [] : [`-${joined(inHome)}`]),
    ...(inTemp === undefined ? [] : [`-tmp-${joined(inTemp)}`])
  ]
}

/** The folders that may hold sessions of the working folder. */
export const searched = (location: Location): ReadonlyArray<string> =>
  location.sessionDir === undefined
    ? [own(location), ...ofXcsh(location).map((name) => join(root(location), name))]
    : [location.sessionDir]
