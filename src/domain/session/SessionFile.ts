/** The name of a session's file and of the folder beside it (protocol.md 9.1). */

export const suffix = ".jsonl"

export const fileName = (timestamp: string, sessionId: string): string =>
  `${timestamp.replaceAll(/[:.]/g, "-")}_${sessionId}${suffix}`

/** The session id in a file name that `fileName` made; undefined for any other name. */
export const sessionIdIn = (name: string): string | undefined => /^[^_]+_(.+)\.jsonl$/.exec(name)?.[1]

/** Another path for a session's file, whose name holds the same session id. */
export const another = (file: string, n: number): string => {
  const dated = /^(.*?[^/\\_]+)(_[^/\\]+\.jsonl)$/.exec(file)
  const [, start = "", end = ""] = dated ?? /^(.*?)(\.jsonl)?$/s.exec(file) ?? []
  return `${start}-${n}${end}`
}

/** The folder of the session's artifacts: beside its file, with the same name. */
export const artifacts = (sessionFile: string): string =>
  sessionFile.endsWith(suffix) ? sessionFile.slice(0, -suffix.length) : `${sessionFile}.artifacts`

/** Whether a reference is a path rather than the beginning of a session id. */
export const isPath = (reference: string): boolean => /[/\\]/.test(reference) || reference.endsWith(suffix)
