import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as EndNode from "../../src/layers/agent/nodes/EndNode.ts"
import * as CommandNodes from "../../src/rpc/CommandNodes.ts"
import * as Lanes from "../../src/rpc/Lanes.ts"
import * as Supervision from "../../src/services/supervision/Supervision.ts"

it.effect("a command that is ended while it waits for its lane is answered once and never starts", () =>
  Effect.gen(function* () {
    let made = 0
    const root = Supervision.makeRoot({ kind: "session", label: "s" }, 0, () => `fb_${++made}`)
    let refused = 0
    const task = CommandNodes.open(root, {
      command: "compact",
      id: "c",
      now: 0,
      run: Effect.dieMessage("it must not run"),
      refuse: (then) => then(++refused > 0)
    })
    assert.isFalse(task.withdrawn?.())
    const node = root.registry.named.get("c")
    assert.strictEqual(node?.spec.label, "compact")
    yield* node?.spec.end ?? Effect.void
    yield* node?.spec.end ?? Effect.void
    assert.deepStrictEqual([task.withdrawn?.(), refused, root.children.size], [true, 1, 0])
  })
)

it.scoped("a command whose hook is ended by the host is answered, too, once, and the next one of its lane starts", () =>
  Effect.gen(function* () {
    let made = 0
    const root = Supervision.makeRoot({ kind: "session", label: "s" }, 0, () => `fb_${++made}`)
    const lanes = yield* Lanes.make<never>()
    const answers: Array<string> = []
    const send = (id: string, run: Effect.Effect<void>) => {
      const refuse: CommandNodes.Refuse = (then) => then(answers.push(`${id} cancelled`) > 0)
      const task = CommandNodes.open(root, { command: "new_session", id, now: 0, run, refuse })
      lanes.route("holding", lanes.before("holding"), task)
    }
    const answer = (id: string) => Effect.sync(() => void answers.push(id))
    send(
      "one",
      Effect.zipRight(
        Supervision.node({ kind: "hook", label: "leaving" }, () => Effect.never),
        answer("one")
      )
    )
    send("two", answer("two"))
    const hook = [...root.children].flatMap(({ children }) => [...children])[0]
    assert.strictEqual(hook?.spec.kind, "hook")
    assert.deepInclude(yield* EndNode.cancel(root, hook?.id ?? "", 1000), { outcome: "cancelled" })
    yield* lanes.drained
    assert.deepStrictEqual([answers, root.children.size], [["one cancelled", "two"], 0])
  })
)
