/** The files that subagents leave beside the session: transcripts, outputs, patches, logs. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as SessionFile from "../../../../domain/session/SessionFile.ts"
import type { Session } from "../../../../services/session/Session.ts"
import * as LocalPaths from "../../../machine/files/LocalPaths.ts"
import { OwnFiles } from "../../../machine/files/own/OwnFiles.ts"
import { firstSuccess } from "../../../Sharing.ts"

export interface Artifacts {
  /** The folder, which exists by then. */
  readonly folder: Effect.Effect<string>
  /** Whether transcripts are kept there; a session in memory has none, and its folder is a temporary one. */
  readonly isKept: Effect.Effect<boolean>
  /** The first number that no subagent of this session has had. */
  readonly firstNumber: Effect.Effect<number>
  /** The path of the file, or undefined where it could not be written; that is logged. */
  readonly write: (name: string, content: string | Uint8Array) => Effect.Effect<string | undefined>
}

const numberOf = (name: string) => Number(/^(\d+)-/.exec(name)?.[1] ?? -1)

export const make = (session: typeof Session.Service): Artifacts => {
  const kept = Effect.map(session.info, ({ file }) => Option.map(file, SessionFile.artifacts))
  const folder = firstSuccess(
    Effect.gen(function* () {
      const files = yield* OwnFiles
      const path = yield* kept
      if (Option.isNone(path)) return yield* files.temporaryFolder
      yield* files.makeFolder(path.value)
      return path.value
    })
  ).pipe(Effect.orDie)

  const bytes = Effect.fnUntraced(function* (path: string, content: string | Uint8Array) {
    const { createOutput } = yield* OwnFiles
    const encoded = typeof content === "string" ? new TextEncoder().encode(content) : content
    yield* Effect.acquireUseRelease(
      createOutput(path),
      ({ write }) => write(encoded),
      ({ close }) => close
    )
    return path
  })

  return {
    folder,
    isKept: Effect.map(kept, Option.isSome),
    firstNumber: Effect.gen(function* () {
      const path = yield* kept
      if (Option.isNone(path)) return 0
      const found = yield* Effect.orElseSucceed((yield* OwnFiles).list(path.value), () => [])
      return found.reduce((most, { name }) => Math.max(most, numberOf(name) + 1), 0)
    }),
    write: (name, content) =>
      Effect.flatMap(folder, (path) => bytes(LocalPaths.join(path, name), content)).pipe(
        Effect.catchAll(({ message }) => Effect.as(Effect.logWarning(`cannot keep ${name}: ${message}`), undefined))
      )
  }
}
