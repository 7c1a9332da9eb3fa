/** Changes of files: what somebody was shown is what is written, or nothing is. */
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import type { ApprovalRequest, Decision } from "../../../../../src/domain/approvals/Question.ts"
import * as EventLoop from "../../../../../src/layers/machine/engine/EventLoop.ts"
import { resultTexts } from "../../../../support/agent/AgentHarness.ts"
import * as Delegating from "../../../../support/agent/Delegating.ts"
import { call, say } from "../../../../support/agent/ScriptedModel.ts"

const files = { "notes.txt": "one\ntwo\n", "other.txt": "one\nother\n" }

/** A call with a script of what happens at each of its questions, and the answer to it. */
const play = Effect.fnUntraced(function* (
  effect: readonly [tool: string, args: object],
  steps: ReadonlyArray<readonly [happens: (folder: string) => void, decision: Decision]>,
  settings: object = {}
) {
  const [tool, args] = effect
  const harness = yield* Delegating.make({
    settings: { "approvals.mode": "ask", ...settings },
    approve: () => Effect.never,
    files,
    answer: (_, nth) => (nth > 1 ? say("ok") : call(["c1", tool, args]))
  })
  const { agent, approvals, events, folder } = harness
  yield* agent.prompt({ text: "go" })
  const asked: Array<ApprovalRequest> = []
  for (const [happens, decision] of steps) {
    yield* Effect.repeat(EventLoop.nextTurn, { until: () => approvals.open().length > 0 })
    const [question] = approvals.open()
    if (question === undefined) break
    asked.push(question)
    happens(folder)
    const { approvalId } = question
    const answered = yield* Effect.either(approvals.answer({ approvalId, decision }, Effect.void))
    assert.isTrue(Either.isRight(answered))
    yield* Effect.repeat(EventLoop.nextTurn, {
      until: () => approvals.open().every((open) => open.approvalId !== approvalId)
    })
  }
  yield* agent.awaitIdle
  const read = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : undefined)
  const ends = events.flatMap((event) => (event._tag === "ApprovalResolved" ? [`${event.decision} ${event.by}`] : []))
  return { asked, ends, read, said: resultTexts(events) }
})

const nothing = () => {}
const edit = ["edit", { path: "notes.txt", oldText: "two", newText: "TWO" }] as const
const put = (name: string, text: string) => (folder: string) => writeFileSync(join(folder, name), text)

describe("an edit", () => {
  it.scopedLive("is shown as the change that it makes, and makes it", () =>
    Effect.gen(function* () {
      const { asked, read, said } = yield* play(edit, [[nothing, "allow_once"]])
      assert.deepStrictEqual(asked[0]?.diff, [
        {
          path: "notes.txt",
          kind: "modify",
          unified: "--- notes.txt\n+++ notes.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n",
          truncated: false
        }
      ])
      assert.deepStrictEqual(
        [read("notes.txt"), said],
        ["one\nTWO\n", ["Successfully replaced 1 block(s) in notes.txt."]]
      )
    })
  )

  it.scopedLive(
    "of a file that has changed is asked about again, whatever was allowed, and the new change is shown",
    () =>
      Effect.gen(function* () {
        for (const decision of ["allow_once", "allow_session", "allow_rule"] as const) {
          const { asked, ends, read } = yield* play(edit, [
            [put("notes.txt", "new\ntwo\nlast\n"), decision],
            [nothing, "allow_once"]
          ])
          assert.deepStrictEqual(ends, [`${decision} host`, "allow_once host"])
          assert.deepStrictEqual(
            asked.map(({ toolCallId }) => toolCallId),
            ["c1", "c1"]
          )
          assert.include(asked[1]?.diff?.[0]?.unified, " new\n-two\n+TWO\n last\n")
          assert.strictEqual(read("notes.txt"), "new\nTWO\nlast\n")
        }
      })
  )

  it.scopedLive("that does not apply any more ends as it would have, and is not asked about", () =>
    Effect.gen(function* () {
      const { ends, read, said } = yield* play(edit, [[put("notes.txt", "gone\n"), "allow_once"]])
      assert.deepStrictEqual([ends, read("notes.txt")], [["allow_once host"], "gone\n"])
      assert.match(said.join(), /not found|not in/)
    })
  )

  it.scopedLive("through a link that leads elsewhere by then is asked about again, with that file", () =>
    Effect.gen(function* () {
      const swap = (folder: string) => {
        rmSync(join(folder, "notes.txt"))
        symlinkSync(join(folder, "other.txt"), join(folder, "notes.txt"))
      }
      const linked = ["edit", { path: "notes.txt", oldText: "one", newText: "ONE" }] as const
      const { asked, read } = yield* play(linked, [
        [swap, "allow_once"],
        [nothing, "deny"]
      ])
      assert.include(asked[1]?.diff?.[0]?.unified, " other\n")
      assert.strictEqual(read("other.txt"), "one\nother\n")
    })
  )

  it.scopedLive("that is denied, or does not apply at all, changes nothing and makes no folder", () =>
    Effect.gen(function* () {
      const denied = yield* play(edit, [[nothing, "deny"]])
      assert.deepStrictEqual([denied.read("notes.txt"), denied.said], ["one\ntwo\n", ["Denied by user"]])
      const wrong = yield* play(["edit", { path: "notes.txt", oldText: "nowhere", newText: "x" }], [])
      assert.deepStrictEqual(wrong.asked, [])
      assert.match(wrong.said.join(), /Cannot edit notes\.txt/)
    })
  )
})

describe("a write", () => {
  it.scopedLive("of a new file is shown as one, and its folder is made when it is allowed", () =>
    Effect.gen(function* () {
      const { asked, read } = yield* play(
        ["write", { path: "new/x.txt", content: "x\n" }],
        [[(folder) => assert.isFalse(existsSync(join(folder, "new"))), "allow_once"]]
      )
      assert.deepStrictEqual(asked[0]?.diff?.[0]?.kind, "create")
      assert.strictEqual(read("new/x.txt"), "x\n")
    })
  )

  it.scopedLive(
    "of a file that somebody else has made meanwhile is asked about again, as the change that it is now",
    () =>
      Effect.gen(function* () {
        const { asked, read } = yield* play(
          ["write", { path: "x.txt", content: "x\n" }],
          [
            [put("x.txt", "theirs\n"), "allow_once"],
            [nothing, "deny"]
          ]
        )
        assert.deepStrictEqual(
          asked.map(({ diff }) => diff?.[0]?.kind),
          ["create", "modify"]
        )
        assert.strictEqual(read("x.txt"), "theirs\n")
      })
  )

  it.scopedLive("that a rule denies does not even say whether the file is there", () =>
    Effect.gen(function* () {
      const { said } = yield* play(["edit", { path: "secret.txt", oldText: "a", newText: "b" }], [], {
        "approvals.deny": ["write(secret*)"]
      })
      assert.deepStrictEqual(said, ["Denied by policy: rule deny:write(secret*)"])
    })
  )
})
