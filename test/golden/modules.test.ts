/** A session without some of its modules plays every transcript that uses none of them, byte for byte. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Cause, Effect, TestContext } from "effect"
import * as SessionPlan from "../../src/layers/session/SessionPlan.ts"
import * as modules from "../../src/layers/session/standard.ts"
import type { SessionModule } from "../../src/services/session/SessionModule.ts"
import * as Golden from "../support/host/Golden.ts"

const folder = import.meta.dirname
const transcripts = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".jsonl"))
  .toSorted()
  .map((file) => ({ file, text: readFileSync(join(folder, file), "utf8") }))

const { budget, compaction, controls, retries, tools } = modules
/** Without one of these a plan does not compile. */
const bare = SessionPlan.core.add(controls).add(budget).add(tools).add(retries).add(compaction)

/** What a transcript has in it that uses a module which a session can be without. */
const uses = {
  todos: /todo_|set_todos/,
  rules: /^# rules|rules_triggered|ttsr/m,
  ask: /\bask\b/,
  subagents: /"task/,
  hooks: /^# (hooks|ui): /m,
  commands: /^# commands: |get_commands/m,
  approvals: /approval_/,
  extensionEntries: /^! (appendEntry|setLabel)/m
}
type Optional = keyof typeof uses
const names: ReadonlyArray<Optional> = ["todos", "rules", "ask", "subagents", "hooks", "commands", "approvals", "extensionEntries"]

/** Adds all modules but one. That one provides nothing then, so what comes behind it must not need it. */
const allBut = (name: Optional) => {
  const unless =
    <O2, E2, I2>(other: Optional, module: SessionModule<O2, E2, I2>) =>
    <Out, E, In>(plan: SessionPlan.Plan<Out, E, In>): SessionPlan.Plan<Out, E | E2, In | Exclude<I2, Out>> =>
      other === name ? plan : plan.add(module)
  const asked = unless("approvals", modules.approvals)(unless("hooks", modules.hooks)(SessionPlan.core))
  const heard = unless("commands", modules.commands)(asked)
  const needed = heard.add(controls).add(budget).add(tools).add(modules.instructions).add(retries).add(compaction)
  const guided = unless("ask", modules.ask)(unless("rules", modules.rules)(unless("todos", modules.todos)(needed)))
  return unless("extensionEntries", modules.extensionEntries)(unless("subagents", modules.subagents)(guided))
}

const play = (plan: Parameters<typeof Golden.play>[1], chosen: typeof transcripts) => {
  const one = ({ file }: (typeof transcripts)[number]) =>
    Golden.play(join(folder, file), plan).pipe(
      Effect.provide(TestContext.TestContext),
      Effect.mapErrorCause((cause) => Cause.die(new Error(`${file}: ${Cause.pretty(cause)}`)))
    )
  return Effect.runPromise(Effect.forEach(chosen, one, { discard: true, concurrency: 8 }))
}

it("without all modules that a session can be without", { timeout: 120_000 }, () => {
  for (const name of names)
    assert.isTrue(
      transcripts.some(({ text }) => uses[name].test(text)),
      `no transcript uses ${name}`
    )
  const others = transcripts.filter(({ text }) => !names.some((name) => uses[name].test(text)))
  assert.isAbove(others.length, transcripts.length / 2)
  return play(bare, others)
})

// Those that use another module: the rest is played above.
it.each(names)("without %s alone", { timeout: 60_000 }, (name) => {
  const using = (other: Optional) =>
    transcripts.filter(({ text }) => uses[other].test(text) && !uses[name].test(text)).slice(0, 3)
  const chosen = names.filter((other) => other !== name).flatMap(using)
  assert.isAtLeast(chosen.length, 6)
  return play(allBut(name), [...new Set(chosen)])
})
