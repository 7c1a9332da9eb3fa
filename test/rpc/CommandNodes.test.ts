import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as CommandNodes from "../../src/rpc/CommandNodes.ts"
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
