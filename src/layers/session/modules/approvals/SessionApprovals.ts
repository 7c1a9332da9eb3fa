/** The approvals of one session, and of its subagents: the policy in force, the answers so far, and the open questions. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Mode, Policy, Rules } from "../../../../domain/approvals/Policy.ts"
import type { HostChange, HostPolicy, Sources } from "../../../../domain/approvals/PolicySources.ts"
import type { Rule } from "../../../../domain/approvals/Rule.ts"
import { defined } from "../../../../domain/Values.ts"
import {
  type Conditions,
  type EffectAsked,
  PolicyRefused,
  type SessionApprovals
} from "../../../../services/Approvals.ts"
import type { SettingsValues } from "../../../../services/Settings.ts"
import * as Answers from "./Answers.ts"
import * as Judge from "./Judge.ts"
import * as OpenQuestions from "./OpenQuestions.ts"

export type ApprovalSettings = Pick<
  SettingsValues,
  | "approvals.allow"
  | "approvals.ask"
  | "approvals.deny"
  | "approvals.mode"
  | "approvals.timeoutMs"
  | "approvals.unasked"
>

/** Whether the settings let anything be judged. */
const asks = (settings: ApprovalSettings): boolean =>
  settings["approvals.mode"] !== "off" ||
  settings["approvals.allow"].length + settings["approvals.ask"].length + settings["approvals.deny"].length > 0

const noRules: Rules = { allow: [], ask: [], deny: [] }

/** The parts that decide about a policy. Loaded when a policy is in force for the first time. */
const loadSources = Effect.promise(() => import("../../../../domain/approvals/PolicySources.ts"))

/** What the host and its answers say. The host's part goes along when the host changes its session. */
export interface HostSays {
  host: HostPolicy
  answers: ReadonlyArray<Rule>
}

export interface Parts extends Omit<Judge.Parts, "policy" | "questions" | "remembers"> {
  readonly settings: ApprovalSettings
  readonly conditions: Conditions
}

/** What the settings say has been checked when the process started; rules of embedders that are none hold for nothing. */
const sourcesOf = (
  { rulesOf }: Effect.Effect.Success<typeof loadSources>,
  settings: ApprovalSettings,
  { projectMode }: Conditions,
  { answers, host }: HostSays
): Sources => {
  const { "approvals.allow": allow, "approvals.ask": ask, "approvals.deny": deny } = settings
  return {
    flags: { rules: noRules },
    user: {
      mode: settings["approvals.mode"],
      unasked: settings["approvals.unasked"],
      timeoutMs: settings["approvals.timeoutMs"],
      rules: Either.getOrElse(rulesOf({ allow, ask, deny }), () => noRules)
    },
    project: { ask: [], deny: [], ...defined({ mode: projectMode }) },
    host,
    answers
  }
}

export const make = (parts: Parts) => {
  const { conditions, hasSandbox, settings } = parts
  const questions = OpenQuestions.make()
  const says: HostSays = { host: { rules: noRules }, answers: [] }
  /** Of tools with the same arguments in the same folder: they are not asked about again. */
  const remembered = new Set<string>()
  let hasSpoken = false
  let inForce = asks(settings)
  /** Whatever the policy is, somebody is asked before a command leaves the sandbox. */
  const leaves = ({ args, tool }: EffectAsked) => hasSandbox && tool.name === "bash" && args["escalate"] === true
  let mode: Mode = settings["approvals.mode"]
  let joined: Policy | undefined

  const policy = Effect.suspend(() => {
    const known = joined
    if (known !== undefined) return Effect.succeed(known)
    return Effect.map(loadSources, (sources) => {
      joined = sources.join(sourcesOf(sources, settings, conditions, says))
      mode = joined.mode
      return joined
    })
  })

  const judge = Judge.make({ ...parts, policy, questions, remembers: (key) => remembered.has(key) })

  const changed = Effect.suspend(() => {
    joined = undefined
    return Effect.zipRight(policy, judge.again)
  })

  const adopt = (host: HostPolicy) => {
    says.host = host
    hasSpoken = true
    inForce = true
    return changed
  }

  const change = Effect.fnUntraced(function* (wanted: HostChange) {
    const { changeHost } = yield* loadSources
    const next = changeHost(says.host, wanted, conditions.fixedMode)
    if (Either.isLeft(next)) return yield* new PolicyRefused({ reason: next.left.code, message: next.left.message })
    yield* adopt(next.right)
    return next.right.rules
  })

  const answers = Answers.make({
    questions,
    remember: (key) => void remembered.add(key),
    add: (rule) =>
      Effect.suspend(() => {
        says.answers = [...says.answers, rule]
        return changed
      })
  })

  const service: SessionApprovals = {
    isInForce: () => inForce,
    guardsSandbox: () => hasSandbox,
    mode: () => mode,
    judge: (asked) => (inForce || leaves(asked) ? judge.judge(asked, answers) : Effect.succeed(undefined)),
    open: () => questions.all().map(({ request }) => request),
    answer: answers.take,
    change,
    below: (subagentId, cwd) => {
      const child: SessionApprovals = {
        ...service,
        judge: (asked) => service.judge({ cwd, ...asked, refs: { subagentId, ...asked.refs } }),
        // The id of a subagent of a subagent begins with that of the one above, and stands for itself.
        below: (id, folder) => service.below(id, folder)
      }
      return child
    }
  }
  return { service, adopt, hostSays: () => (hasSpoken ? says.host : undefined) }
}
