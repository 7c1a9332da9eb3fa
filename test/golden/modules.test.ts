/** A session without some of its modules plays every transcript that uses none of them, byte for byte. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Cause, Effect, TestContext } from "effect"
import * as SessionPlan from "../../src/layers/session/SessionPlan.ts"
import { budget, compaction, controls, retries, tools } from "../../src/layers/session/standard.ts"
import * as Golden from "../support/host/Golden.ts"

const folder = import.meta.dirname
const transcripts = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".jsonl"))

const bare = SessionPlan.core.add(controls).add(budget).add(tools).add(retries).add(compaction)

/** What a transcript has in it that uses a module which the plan is without. */
const uses = {
  todos: /todo_|set_todos/,
  rules: /^# rules|rules_triggered|ttsr/m,
  ask: /\bask\b/,
  subagents: /"task/,
  hooks: /^# (hooks|ui): /m,
  commands: /^# commands: /m,
  "extension entries": /^! (appendEntry|setLabel)/m
}

it("without all modules that a session can be without", { timeout: 60_000 }, () => {
  const texts = transcripts.map((file) => ({ file, text: readFileSync(join(folder, file), "utf8") }))
  for (const [name, used] of Object.entries(uses))
    assert.isTrue(
      texts.some(({ text }) => used.test(text)),
      `no transcript uses ${name}`
    )
  const others = texts.filter(({ text }) => !Object.values(uses).some((used) => used.test(text)))
  assert.isAbove(others.length, transcripts.length / 2)
  const played = ({ file }: (typeof texts)[number]) =>
    Golden.play(join(folder, file), bare).pipe(
      Effect.provide(TestContext.TestContext),
      Effect.mapErrorCause((cause) => Cause.die(new Error(`${file}: ${Cause.pretty(cause)}`)))
    )
  return Effect.runPromise(Effect.forEach(others, played, { discard: true, concurrency: 8 }))
})
