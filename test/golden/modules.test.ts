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

/** No todos, no rules, no ask. */
const bare = SessionPlan.core.add(controls).add(budget).add(tools).add(retries).add(compaction)
const usesMore = /todo_|set_todos|# rules|rules_triggered|ttsr|"task|\bask\b/

it(
  "without todos, rules and ask",
  () => {
    const others = transcripts.filter((file) => !usesMore.test(readFileSync(join(folder, file), "utf8")))
    assert.isAbove(others.length, transcripts.length / 2)
    const played = (file: string) =>
      Golden.play(join(folder, file), bare).pipe(
        Effect.provide(TestContext.TestContext),
        Effect.mapErrorCause((cause) => Cause.die(new Error(`${file}: ${Cause.pretty(cause)}`)))
      )
    return Effect.runPromise(Effect.forEach(others, played, { discard: true, concurrency: 8 }))
  },
  60_000
)
