/** What the answers of all hooks of a point amount to. Hooks run one after the other, each with the answer before it. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { AgentMessage } from "../../../../domain/conversation/Message.ts"
import * as JsonValue from "../../../../domain/JsonValue.ts"
import { defined } from "../../../../domain/Values.ts"
import type * as Points from "../../../../services/hooks/HookPoints.ts"
import type { CompactionDecision, CompactionPlan } from "../../../../services/session/modules/Compaction.ts"
import type { RequestHooks } from "../../../../services/model/RequestHooks.ts"
import * as Supervision from "../../../../services/supervision/Supervision.ts"
import type { CallAsked, CallResult, CallVerdict } from "../../../../services/session/RunStep.ts"
import { ToolFailure } from "../../../../services/Tools.ts"
import type { HookProblem } from "../../../../services/hooks/Hooks.ts"
import type { HookRegistry, Registered } from "./HookRegistry.ts"

/** While hooks of the point are asked, the supervision tree shows it. */
const shown = <A>(point: Points.HookPoint, effect: Effect.Effect<A>) =>
  Supervision.node({ kind: "hook", label: point }, () => effect)

type Answered<P extends Points.HookPoint> = Exclude<Points.HookAnswer<P>, void>

const isAnswered = <P extends Points.HookPoint>(answer: Points.HookAnswer<P> | undefined): answer is Answered<P> =>
  answer !== undefined

/** Folds the answers. `next` makes the state from the one before and an answer of `name`; `isOver` ends the row. */
const fold = <P extends Points.HookPoint, S>(
  hooks: HookRegistry,
  point: P,
  initial: S,
  steps: {
    readonly event: (state: S) => Points.HookEvent<P>
    readonly next: (state: S, answer: Answered<P>, name: string) => S
    readonly isOver?: (state: S) => boolean
  }
): Effect.Effect<S> => {
  const registered = hooks.of(point)
  if (registered.length === 0) return Effect.succeed(initial)
  const asked = Effect.gen(function* () {
    let state = initial
    for (const one of registered) {
      const answer = yield* hooks.ask(point, one, steps.event(state))
      if (!isAnswered<P>(answer)) continue
      state = steps.next(state, answer, one.name)
      if (steps.isOver?.(state) === true) return state
    }
    return state
  })
  return shown(point, asked)
}

export interface HookedInput extends Points.Input {
  readonly isHandled: boolean
}

/** The message as the hooks have left it, and whether one of them has dealt with it. */
export const input = (hooks: HookRegistry, said: Points.Input): Effect.Effect<HookedInput> => {
  const initial: HookedInput = { ...said, isHandled: false }
  return fold(hooks, "input", initial, {
    event: ({ images, text }) => ({ ...said, text, images }),
    next: (state, answer) => {
      if (answer._tag === "Handled") return { ...state, isHandled: true }
      if (answer._tag === "Continue") return state
      return { ...state, text: answer.text, images: answer.images ?? state.images }
    },
    isOver: ({ isHandled }) => isHandled
  })
}

export interface RunChanges {
  readonly systemPrompt: string
  /** Each with the name of the contributor that adds it. */
  readonly messages: ReadonlyArray<{
    readonly name: string
    readonly message: NonNullable<Points.RunAdditions["message"]>
  }>
}

export const runStarting = (hooks: HookRegistry, event: Points.RunStarting): Effect.Effect<RunChanges> => {
  const initial: RunChanges = { systemPrompt: event.systemPrompt, messages: [] }
  return fold(hooks, "runStarting", initial, {
    event: ({ systemPrompt }) => ({ ...event, systemPrompt }),
    next: (state, { message, systemPrompt = state.systemPrompt }, name) => ({
      systemPrompt,
      messages: message === undefined ? state.messages : [...state.messages, { name, message }]
    })
  })
}

export const context = (hooks: HookRegistry, messages: ReadonlyArray<AgentMessage>) =>
  fold(hooks, "context", messages, {
    event: (current) => ({ messages: current }),
    next: (_, answer) => answer.messages
  })

/** A message of another role than the one before is reported and ignored. */
export const messageEnding = <M extends AgentMessage>(
  hooks: HookRegistry,
  message: M,
  isSameKind: (other: AgentMessage) => other is M
) =>
  fold(hooks, "messageEnding", message, {
    event: (current) => ({ message: current }),
    next: (current, answer, name) => {
      if (isSameKind(answer.message)) return answer.message
      const roles = `a message of the role ${current.role} was answered with one of the role ${answer.message.role}`
      hooks.report({ name, event: "messageEnding", message: roles })
      return current
    }
  })

export const toolResult = (
  hooks: HookRegistry,
  { input, toolCallId, toolName }: Omit<CallAsked, "requested">,
  result: CallResult
): Effect.Effect<CallResult> =>
  fold(hooks, "toolResult", result, {
    event: (state) => ({
      toolCallId,
      toolName,
      input,
      content: state.output.content,
      ...defined({ details: state.output.details }),
      isError: state.isError
    }),
    next: (state, { content, details, isError: failed }) => ({
      output: { ...state.output, ...defined({ content, details }) },
      isError: failed ?? state.isError
    })
  })

/** What a hook has decided about a call, its arguments frozen. */
const readDecision = (answer: Points.ToolCallDecision | void): Either.Either<CallVerdict, HookProblem> => {
  if (answer === undefined) return Either.right({})
  if (answer.block === true) {
    const { reason = "Tool execution was blocked", terminate } = answer
    const ends = terminate === true ? { terminate } : {}
    return Either.right({ refusal: new ToolFailure({ message: reason, ...ends }) })
  }
  if (answer.input === undefined) return Either.right({})
  return Either.mapBoth(JsonValue.frozen(answer.input), {
    onLeft: (problem) => ({ message: `the arguments: ${problem}` }),
    onRight: (input) => ({ input })
  })
}

/** A hook that fails blocks the call: it may have been there to prevent it. */
export const toolCall = (hooks: HookRegistry, call: CallAsked): Effect.Effect<CallVerdict> =>
  shown(
    "toolCall",
    Effect.gen(function* () {
      let verdict: CallVerdict = {}
      for (const one of hooks.of("toolCall")) {
        const answer = yield* hooks.call(one, { ...call, ...verdict })
        const decision = Either.flatMap(answer, readDecision)
        if (Either.isLeft(decision)) {
          const { location, message } = decision.left
          hooks.report({ name: one.name, event: "toolCall", message, ...defined({ location }) })
          return { refusal: new ToolFailure({ message: `Extension ${one.name} failed: ${message}` }) }
        }
        verdict = { ...verdict, ...decision.right }
        if (verdict.refusal !== undefined) return verdict
      }
      return verdict
    })
  )

/** What hooks do around a request to a provider; undefined if there are none. */
export const aroundRequests = (hooks: HookRegistry): RequestHooks | undefined => {
  if (!hooks.has("providerRequest") && !hooks.has("providerResponse")) return undefined
  return {
    before: (payload, { model }) =>
      fold(hooks, "providerRequest", payload, {
        event: (current) => ({ model, payload: current }),
        next: (_, answer) => answer.payload
      }),
    after: (response) => tell(hooks, "providerResponse", response, longestNoticeMs)
  }
}

const longestNoticeMs = 5000

/** The answer of the first hook that has one. */
const first = <P extends Points.HookPoint>(
  hooks: HookRegistry,
  point: P,
  event: Points.HookEvent<P>,
  counts: (answer: Answered<P>) => boolean
) => {
  const none: Answered<P> | undefined = undefined
  return fold<P, Answered<P> | undefined>(hooks, point, none, {
    event: () => event,
    next: (_, answer) => (counts(answer) ? answer : undefined),
    isOver: (state) => state !== undefined
  })
}

/** What all hooks name together. */
export const resources = (hooks: HookRegistry, opening: Points.SessionOpening): Effect.Effect<Points.Resources> => {
  const initial: Points.Resources = {}
  return fold(hooks, "resources", initial, {
    event: () => opening,
    next: (before, { promptPaths = [], skillPaths = [] }) => ({
      skillPaths: [...(before.skillPaths ?? []), ...skillPaths].slice(0, mostPaths),
      promptPaths: [...(before.promptPaths ?? []), ...promptPaths].slice(0, mostPaths)
    })
  })
}

/** More paths of one kind are a loop that adds them. */
const mostPaths = 1000

export const userCommand = (hooks: HookRegistry, command: Points.UserCommand) =>
  first(hooks, "userCommand", command, () => true)

/** Whether a hook keeps the host in its session. */
export const isCancelled = <P extends "leaving" | "branching">(
  hooks: HookRegistry,
  point: P,
  event: Points.HookEvent<P>
): Effect.Effect<boolean> =>
  Effect.map(
    first(hooks, point, event, ({ cancel }) => cancel === true),
    (answer) => answer !== undefined
  )

export const navigating = (hooks: HookRegistry, event: Points.Navigating) =>
  first(hooks, "navigating", event, ({ cancel, summary }) => cancel === true || summary !== undefined)

const proceed: CompactionDecision = { _tag: "Proceed" }

export const compacting = (hooks: HookRegistry, plan: CompactionPlan): Effect.Effect<CompactionDecision> =>
  Effect.map(
    first(hooks, "compacting", plan, ({ _tag }) => _tag !== "Proceed"),
    (decision) => decision ?? proceed
  )

const tellOne = <P extends Points.HookPoint>(
  hooks: HookRegistry,
  point: P,
  one: Registered<P>,
  event: Points.HookEvent<P>,
  limitMs: number
): Effect.Effect<void> => {
  const asked = Effect.interruptible(Effect.disconnect(hooks.ask(point, one, event)))
  const late = { name: one.name, event: point, message: `not done after ${limitMs} ms` }
  return Effect.map(Effect.timeoutOption(asked, limitMs), (answer) => {
    if (Option.isNone(answer)) hooks.report(late)
  })
}

/** Notifies hooks that only watch. Each has at most `limitMs`, also where the caller cannot be interrupted. */
export const tell = <P extends "sessionStarted" | "sessionEnding" | "compacted" | "navigated" | "providerResponse">(
  hooks: HookRegistry,
  point: P,
  event: Points.HookEvent<P>,
  limitMs: number
): Effect.Effect<void> =>
  Effect.suspend(() =>
    Effect.forEach(hooks.of(point), (one) => tellOne(hooks, point, one, event, limitMs), { discard: true })
  )
