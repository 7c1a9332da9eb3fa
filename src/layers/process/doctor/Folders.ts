/** Whether heddle can read and write where it has to. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as LocalPaths from "../../platform/files/LocalPaths.ts"
import { OwnFiles } from "../../platform/files/OwnFiles.ts"
import * as SessionFolders from "../../session/SessionFolders.ts"
import { type Check, ok, problem, warning } from "./Check.ts"

const quote = (path: string) => `'${path.replaceAll("'", `'\\''`)}'`

const writable = Effect.fnUntraced(function* (name: string, folder: string, without: string, fix: string) {
  const { checkWritable } = yield* OwnFiles
  const found = yield* Effect.either(checkWritable(folder))
  if (Either.isRight(found)) return ok(name, folder)
  return problem(name, `${folder} cannot be written (${found.left.message}): ${without}`, fix)
})

/** Files with keys or conversations that other users of the machine can read. */
const secret = Effect.fnUntraced(function* (path: string) {
  const { state } = yield* OwnFiles
  const found = yield* Effect.orElseSucceed(state(path), () => undefined)
  const name = LocalPaths.basename(path)
  if (found === undefined || (found.mode & 0o077) === 0) return []
  return [warning(name, `${path} can be read by other users`, `chmod 600 ${quote(path)}`)]
})

export const checks = Effect.fnUntraced(function* (location: SessionFolders.Location) {
  const { agentDir, cwd } = location
  const sessions = SessionFolders.own(location)
  const found: Array<Check> = [
    yield* writable(
      "agent folder",
      agentDir,
      "keys and settings cannot be stored",
      `chmod u+rwx ${quote(agentDir)}, or choose another folder with HEDDLE_AGENT_DIR`
    ),
    yield* writable(
      "sessions",
      sessions,
      "conversations are lost when heddle ends",
      `chmod u+rwx ${quote(sessions)}, or choose another folder with --session-dir`
    ),
    ...(yield* secret(`${agentDir}/models.json`))
  ]
  const { checkWritable } = yield* OwnFiles
  const work = yield* Effect.either(checkWritable(cwd))
  const readOnly = `${cwd} cannot be written, so the model cannot change files in it`
  found.push(
    Either.isRight(work)
      ? ok("working folder", cwd)
      : warning("working folder", readOnly, "start heddle in another folder, or give --cwd")
  )
  return found
})
