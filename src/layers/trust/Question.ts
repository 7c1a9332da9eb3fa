/** Asks the user about a project and stores the answer, tied to what the project would run. */
import * as Effect from "effect/Effect"
import { defined } from "../../domain/Values.ts"
import type { Confirm, TrustAnswer, TrustLevel } from "../../services/Trust.ts"
import * as Imports from "./Imports.ts"
import * as ProjectCode from "./ProjectCode.ts"
import * as TrustFile from "./TrustFile.ts"
import * as Words from "./Words.ts"

export interface Subject extends ProjectCode.ProjectPlace {
  /** Settings and keys that were left out. */
  readonly others: ReadonlyArray<string>
  readonly changes?: string
  /** What to say where the project stays out; absent if that was said before. */
  readonly leftOut?: string | undefined
}

/** Parts are for a notice; a decision about more of them is stored without. */
const mostParts = 200

const tooLarge = "its extensions are too large to tell later whether they have changed"

/** Why the answer was not stored; undefined if it was. */
const store = (
  { agentDir, cwd }: Subject,
  { digest, parts }: ProjectCode.ProjectCode,
  imported: Imports.Imports | undefined,
  decision: TrustLevel
): Effect.Effect<string | undefined> => {
  if (digest === undefined || imported === undefined) return Effect.succeed(tooLarge)
  const all = [...parts, ...imported.parts]
  const known = all.length > mostParts ? {} : { parts: Object.fromEntries(all) }
  const imports = defined({ imports: imported.digest })
  return Effect.match(TrustFile.store(agentDir, cwd, { decision, digest, ...imports, ...known }), {
    onFailure: ({ message }) => message,
    onSuccess: () => undefined
  })
}

const nothing: Imports.Imports = { digest: undefined, parts: new Map(), hashes: new Map() }

/** With the code that the answer is about, if it is yes and was stored. What an untrusted project imports is not looked at. */
export const ask = Effect.fn("Trust.ask")(function* (subject: Subject, confirm: Confirm) {
  const code = yield* ProjectCode.read(subject)
  const yes = yield* confirm(Words.question({ ...subject, extensions: code.extensions }))
  const unchanged: TrustAnswer = { level: "untrusted" }
  const { leftOut } = subject
  if (yes === undefined) return { answer: { ...unchanged, ...defined({ notice: leftOut }) } }
  if (yes && (yield* ProjectCode.read(subject)).digest !== code.digest) {
    return { answer: { ...unchanged, notice: Words.changedMeanwhile } }
  }
  const level = yes ? "trusted" : "untrusted"
  const imported = yes ? yield* Imports.read(code, subject.cwd) : nothing
  const problem = yield* store(subject, code, imported, level)
  const notice = Words.answered({ level, hasOthers: subject.others.length > 0, problem, leftOut })
  const answer: TrustAnswer = { level, notice }
  if (!yes || imported === undefined || code.digest === undefined) return { answer }
  return { answer, code: new Map([...code.hashes, ...imported.hashes]) }
})
