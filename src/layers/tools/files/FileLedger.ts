/** What the file tools of one session know about files, in memory. */
import type { FileLedger } from "../../../services/session/SessionFiles.ts"
import * as KeyedLocks from "./KeyedLocks.ts"

export const make = (): FileLedger => {
  const versions = new Map<string, string>()
  return {
    exclusively: KeyedLocks.make<string>(),
    saw: (path, version) => void versions.set(path, version),
    isStale: (path, version) => (versions.get(path) ?? version) !== version
  }
}
