/** Random trees of scopes with random limits: whatever runs in them side by side and is interrupted, the limits hold. */
import { assert, it } from "@effect/vitest"
import { Effect, Exit, FastCheck as fc, Fiber } from "effect"
import type { AgentEvent } from "../../../../../src/domain/conversation/AgentEvent.ts"
import type { BudgetLimits } from "../../../../../src/domain/budget/BudgetLimits.ts"
import * as Usage from "../../../../../src/domain/model/Usage.ts"
import * as MemoryBudget from "../../../../../src/layers/session/modules/budget/MemoryBudget.ts"
import type { SessionBudget } from "../../../../../src/services/session/modules/Budget.ts"
import { model } from "../../../../support/agent/ScriptedModel.ts"

const prices = { input: 3, output: 15, cacheRead: 0, cacheWrite: 0 }
const priced = { ...model, cost: prices }

const amount = (max: number) => fc.option(fc.integer({ min: 0, max }), { nil: undefined, freq: 2 })

const limits: fc.Arbitrary<BudgetLimits> = fc
  .record({
    maxTotalTokens: amount(3000),
    maxInputTokens: amount(2000),
    maxOutputTokens: amount(1000),
    maxCostUsd: fc.option(fc.double({ min: 0, max: 0.02, noNaN: true }), { nil: undefined, freq: 2 }),
    maxToolCalls: amount(12),
    maxSubagents: amount(4),
    maxTurns: amount(15),
    warnAtRatio: fc.constantFrom(undefined, 0, 0.5, 1)
  })
  .map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)))

type Step =
  | {
      readonly kind: "call"
      readonly estimate: number
      readonly input: number
      readonly output: number
      readonly pause: number
    }
  | { readonly kind: "tool" }
  | { readonly kind: "wait" }
  | { readonly kind: "child"; readonly child: Work }

/** What a scope does: its steps one after the other, in as many fibers as it has lists of them. */
interface Work {
  readonly limits: BudgetLimits
  readonly fibers: ReadonlyArray<ReadonlyArray<Step>>
}

const call = fc.record({
  kind: fc.constant("call" as const),
  estimate: fc.integer({ min: 1, max: 400 }),
  input: fc.nat({ max: 500 }),
  output: fc.nat({ max: 300 }),
  pause: fc.nat({ max: 4 })
})
const plain = fc.constantFrom({ kind: "tool" as const }, { kind: "wait" as const })

const work: fc.Arbitrary<Work> = fc.letrec<{ work: Work; step: Step }>((tie) => ({
  work: fc.record({
    limits,
    fibers: fc.array(fc.array(tie("step"), { maxLength: 6 }), { minLength: 1, maxLength: 3 })
  }),
  step: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    call,
    plain,
    fc.record({ kind: fc.constant("child" as const), child: tie("work") })
  )
})).work

/** A call under way, and by how much it turns out to pass what was reserved for it at least. */
interface Excess {
  input: number
  output: number
  cost: number
}

/** What a scope has really done. */
interface Account {
  readonly limits: BudgetLimits
  readonly below: Array<Account>
  readonly name: string
  input: number
  output: number
  cost: number
  toolCalls: number
  subagents: number
  turns: number
  readonly underWay: Set<Excess>
  /** Those that were under way when the last call was allowed: they are what a limit may be passed by. */
  last: ReadonlyArray<Excess>
}

const accountOf = (name: string, given: BudgetLimits): Account => ({
  name,
  limits: given,
  below: [],
  input: 0,
  output: 0,
  cost: 0,
  toolCalls: 0,
  subagents: 0,
  turns: 0,
  underWay: new Set(),
  last: []
})

const pause = (turns: number): Effect.Effect<void> =>
  turns === 0 ? Effect.void : Effect.zipRight(Effect.yieldNow(), pause(turns - 1))

type CallStep = Extract<Step, { kind: "call" }>

const allowed = (accounts: ReadonlyArray<Account>): Excess => {
  const excess: Excess = { input: 0, output: 0, cost: 0 }
  for (const account of accounts) {
    account.underWay.add(excess)
    account.last = [...account.underWay]
  }
  return excess
}

const settled = (accounts: ReadonlyArray<Account>, step: CallStep, usage: Usage.Usage, excess: Excess) => {
  excess.input = Math.max(0, usage.input - step.estimate)
  excess.output = Math.max(0, usage.output - 1)
  excess.cost = Math.max(0, usage.cost.total - (step.estimate * prices.input + prices.output) / 1e6)
  for (const account of accounts) {
    account.input += usage.input
    account.output += usage.output
    account.cost += usage.cost.total
    account.turns++
  }
}

const doCall = (budget: SessionBudget, accounts: ReadonlyArray<Account>, step: CallStep) =>
  Effect.acquireUseRelease(
    Effect.map(
      Effect.interruptible(budget.modelCall({ model: priced, inputTokens: step.estimate })),
      (reservation) => ({
        ...reservation,
        excess: allowed(accounts)
      })
    ),
    () => pause(step.pause),
    ({ excess, release, settle }, exit) => {
      for (const { underWay } of accounts) underWay.delete(excess)
      if (Exit.isFailure(exit) && step.pause % 2 === 0) return Effect.sync(release)
      // A call that was cut off has no answer.
      const output = Exit.isSuccess(exit) ? step.output : 0
      const usage = Usage.make({ ...Usage.zeroTokens, input: step.input, output }, prices)
      settled(accounts, step, usage, excess)
      return settle(usage)
    }
  )

const perform = (budget: SessionBudget, accounts: ReadonlyArray<Account>, { fibers }: Work): Effect.Effect<void> =>
  Effect.forEach(
    fibers,
    (steps) =>
      Effect.ignore(
        Effect.forEach(
          steps,
          (step, at) =>
            Effect.gen(function* () {
              if (step.kind === "call") return yield* doCall(budget, accounts, step)
              if (step.kind === "wait") return yield* Effect.yieldNow()
              if (step.kind === "tool") {
                yield* Effect.uninterruptible(
                  Effect.map(budget.toolCall, () => accounts.forEach((account) => account.toolCalls++))
                )
                return yield* Effect.yieldNow()
              }
              yield* Effect.uninterruptible(
                Effect.map(budget.subagent, () => accounts.forEach((account) => account.subagents++))
              )
              return yield* Effect.scoped(
                Effect.gen(function* () {
                  const name = `${accounts[0]?.name}.${at}.${accounts[0]?.below.length}`
                  const account = accountOf(name, step.child.limits)
                  accounts[0]?.below.push(account)
                  const below = yield* budget.child({ scope: "subagent", id: name, limits: step.child.limits })
                  yield* Effect.ensuring(perform(below, [account, ...accounts], step.child), check(below, account))
                })
              )
            }),
          { discard: true }
        )
      ),
    { concurrency: "unbounded", discard: true }
  )

/** The counters of a scope are those of the account. */
const check = (budget: SessionBudget, account: Account) =>
  Effect.map(budget.scopes, ([state]) => {
    const { snapshot } = state ?? assert.fail("no scope")
    assert.deepStrictEqual(
      [snapshot.inputTokens, snapshot.outputTokens, snapshot.toolCalls, snapshot.subagents, snapshot.turns],
      [account.input, account.output, account.toolCalls, account.subagents, account.turns]
    )
    assert.closeTo(snapshot.costUsd, account.cost, 1e-9)
    const { last, limits: given } = account
    const excess = { input: 0, output: 0, cost: 0 }
    for (const one of last) {
      excess.input += one.input
      excess.output += one.output
      excess.cost += one.cost
    }
    const most = (limit: number | undefined) => limit ?? Number.POSITIVE_INFINITY
    assert.isAtMost(account.toolCalls, most(given.maxToolCalls))
    assert.isAtMost(account.subagents, most(given.maxSubagents))
    assert.isAtMost(account.turns, most(given.maxTurns))
    assert.isAtMost(account.input, most(given.maxInputTokens) + excess.input)
    assert.isAtMost(account.output, most(given.maxOutputTokens) + excess.output)
    assert.isAtMost(account.input + account.output, most(given.maxTotalTokens) + excess.input + excess.output)
    assert.isAtMost(account.cost, most(given.maxCostUsd) + excess.cost + 1e-9)
  })

/** Warned once of each limit, and then told once that one is exceeded. */
const checkEvents = (events: ReadonlyArray<AgentEvent>) => {
  const told = new Map<string, Array<string>>()
  for (const event of events) {
    if (event._tag !== "BudgetWarning" && event._tag !== "BudgetSpent") continue
    const name = event.id ?? ""
    const word = event._tag === "BudgetSpent" ? "exceeded" : `${event.snapshot.reason}`
    told.set(name, [...(told.get(name) ?? []), word])
  }
  for (const words of told.values()) {
    assert.strictEqual(new Set(words).size, words.length, words.join())
    assert.isTrue(!words.includes("exceeded") || words.at(-1) === "exceeded", words.join())
  }
}

it.effect.prop(
  "limits hold, sums add up, and nothing stays reserved",
  { root: work, interruptAfter: fc.option(fc.nat({ max: 30 }), { nil: undefined }) },
  ({ interruptAfter, root }) =>
    Effect.gen(function* () {
      const events: Array<AgentEvent> = []
      const budget = yield* MemoryBudget.alone(root.limits, (event) => events.push(event))
      const account = accountOf("", root.limits)
      const running = yield* Effect.fork(perform(budget, [account], root))
      if (interruptAfter !== undefined) {
        yield* pause(interruptAfter)
        yield* Fiber.interrupt(running)
      }
      const exit = yield* Fiber.await(running)
      if (Exit.isFailure(exit) && !Exit.isInterrupted(exit)) return yield* exit
      yield* check(budget, account)
      checkEvents(events)
      assert.strictEqual((yield* budget.scopes).length, 1)
      // Exactly what is left can be reserved, so nothing else is.
      yield* budget.setLimits({
        maxTotalTokens: account.input + account.output + 100,
        maxInputTokens: account.input + 99,
        maxOutputTokens: account.output + 1,
        maxCostUsd: account.cost + (99 * prices.input + prices.output) / 1e6,
        maxTurns: account.turns + 1,
        maxToolCalls: account.toolCalls + 1,
        maxSubagents: account.subagents + 1
      })
      yield* budget.modelCall({ model: priced, inputTokens: 99 })
      yield* budget.toolCall
      yield* budget.subagent
      assert.strictEqual((yield* Effect.flip(budget.toolCall)).reason, "tool_calls")
    }),
  { fastCheck: { numRuns: 300 } }
)
