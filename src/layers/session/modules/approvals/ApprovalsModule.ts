/** Approvals as a module of sessions: effects are judged, and how that ended is remembered in entries of the session. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type ApprovalRecord, entryType } from "../../../../domain/approvals/Question.ts"
import type { HostPolicy } from "../../../../domain/approvals/PolicySources.ts"
import { ApprovalConditions, Approvals, type SessionApprovals } from "../../../../services/Approvals.ts"
import { Approvers } from "../../../../services/host/Approvers.ts"
import { Files } from "../../../../services/machine/Files.ts"
import { Sandbox } from "../../../../services/machine/Sandbox.ts"
import type { RunView } from "../../../../services/session/RunStep.ts"
import { SessionCore } from "../../../../services/session/SessionCore.ts"
import * as SessionModule from "../../../../services/session/SessionModule.ts"
import { Settings } from "../../../../services/Settings.ts"
import { SessionRelay } from "../../core/EventRelay.ts"
import * as LocalFiles from "../../../machine/files/LocalFiles.ts"
import * as ApprovalStep from "./ApprovalStep.ts"
import * as Places from "./Places.ts"
import * as RuleCheck from "./RuleCheck.ts"
import * as Made from "./SessionApprovals.ts"

/** What the host has said, for the session that it goes to. */
export class HostSays extends Context.Tag("heddle/layers/session/modules/approvals/HostSays")<
  HostSays,
  () => HostPolicy | undefined
>() {}

const build = Effect.gen(function* () {
  const { entries, events, ids, now, options, supervision } = yield* SessionCore
  const { flush } = yield* SessionRelay
  const settings = yield* Settings
  // Those of a process were checked at its start. In a program that embeds the agent, a rule that is none is a bug.
  yield* Effect.orDie(RuleCheck.check(settings))
  const conditions = yield* ApprovalConditions
  // A process without the service has no file tools either.
  const files = Option.getOrElse(yield* Effect.serviceOption(Files), () => LocalFiles.service)
  const sandbox = yield* Sandbox
  // The files of a sandbox refuse to follow links out of it, and it is to be known where they lead.
  const resolve = sandbox?.leadsTo ?? files.resolve
  const record = (data: ApprovalRecord) =>
    Effect.asVoid(entries.append({ type: "custom", customType: entryType, data }))
  const { adopt, hostSays, service } = Made.make({
    settings,
    conditions,
    approvers: yield* Approvers,
    cwd: options.cwd,
    resolve,
    hasSandbox: sandbox !== undefined,
    flush,
    ids,
    now,
    placesOf: Places.make(resolve, conditions),
    publish: events.publish,
    record,
    root: supervision.root
  })
  return {
    services: Context.make(Approvals, service).pipe(Context.add(HostSays, hostSays)),
    run: (view: RunView) => ApprovalStep.make(service, view),
    carry: (left: Context.Context<never>) => {
      const said = Option.flatMap(Context.getOption(left, HostSays), (ask) => Option.fromNullable(ask()))
      return Option.match(said, { onNone: () => Effect.void, onSome: adopt })
    }
  }
})

export const module = SessionModule.providing("approvals", build)

/** The session of a subagent is judged as a part of the one that has started it. */
export const of = (approvals: SessionApprovals) =>
  SessionModule.providing(
    "approvals",
    Effect.succeed({
      services: Context.make(Approvals, approvals),
      run: (view: RunView) => ApprovalStep.make(approvals, view)
    })
  )
