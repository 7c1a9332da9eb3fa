/** The Trust of this process: starts with the decision that is known, and rises when the host says yes. */
import * as Effect from "effect/Effect"
import * as SynchronizedRef from "effect/SynchronizedRef"
import { defined } from "../../../domain/Values.ts"
import type { Confirm, TrustAnswer, TrustLevel, WorkspaceTrust } from "../../../services/Trust.ts"
import { OwnFiles } from "../../machine/files/own/OwnFiles.ts"
import * as DecisionOf from "./Decision.ts"
import * as Imports from "./Imports.ts"
import * as ProjectCode from "./ProjectCode.ts"
import * as TrustFile from "./TrustFile.ts"
import * as Words from "./Words.ts"

/** Asks the user about a project and stores the answer, tied to what the project would run. */
interface Subject extends ProjectCode.ProjectLocation {
  /** Settings and keys that were left out. */
  readonly others: ReadonlyArray<string>
  readonly changes?: string
  /** The notice where the project stays out; absent if it was shown before. */
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
const askUser = Effect.fn("Trust.ask")(function* (subject: Subject, confirm: Confirm) {
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

export interface ProjectTrustOptions {
  readonly decision: DecisionOf.Decision
  readonly subject: Subject
  /** Whether there is code, or a setting, that only a trusted project may have. */
  readonly hasQuestion: boolean
  readonly notice: string | undefined
}

interface State extends TrustAnswer {
  readonly isDecided: boolean
  readonly code?: ReadonlyMap<string, string>
}

export const make = Effect.fnUntraced(function* ({ decision, hasQuestion, notice, subject }: ProjectTrustOptions) {
  const files = yield* OwnFiles
  const isDecided = decision.isDecided || !hasQuestion
  const { code, level } = decision
  const first: State = { level, isDecided, ...defined({ code }) }
  const state = yield* SynchronizedRef.make(first)
  const trust: WorkspaceTrust = {
    level: Effect.map(SynchronizedRef.get(state), ({ level }) => level),
    atStart: level,
    ...defined({ notice }),
    isDecided,
    code: Effect.map(SynchronizedRef.get(state), (current) => current.code),
    ask: (confirm) =>
      SynchronizedRef.modifyEffect(state, (before) =>
        before.isDecided
          ? Effect.succeed([{ level: before.level }, before] as const)
          : Effect.gen(function* () {
              const location = yield* DecisionOf.realLocation(subject)
              const { answer, code } = yield* askUser({ ...subject, ...location }, confirm)
              const after: State = { level: answer.level, isDecided: true, ...defined({ code }) }
              return [answer, after] as const
            })
      ).pipe(Effect.provideService(OwnFiles, files))
  }
  return trust
})
