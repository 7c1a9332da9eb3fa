/** The host on in-memory pipes that embedders get, too, with frames that stay the same when a schema changes. */
import { tmpdir } from "node:os"
import { Effect } from "effect"
import * as EventLoop from "../../../src/layers/machine/engine/EventLoop.ts"
import * as MemoryHost from "../../../src/testing/MemoryHost.ts"
import { schemaHash } from "../../../src/rpc/protocol/schemaHash.ts"

/** The folder that a transcript plays in is another one each time. */
const folder = new RegExp(`${tmpdir()}/heddle-golden-\\w+`, "g")

const stable = (text: string) => text.replaceAll(schemaHash, "sha256:0").replaceAll(folder, "/golden")

export const make = Effect.map(MemoryHost.make({ stable }), (host) => ({
  ...host,
  /** Only for rewriting goldens: what has been written once nothing more came for a while. */
  receiveQuiet: Effect.gen(function* () {
    const all: Array<string> = []
    for (let last = performance.now(); performance.now() - last < 600;) {
      yield* EventLoop.nextTurn
      const taken = yield* host.rest
      if (taken.length === 0) continue
      all.push(...taken)
      last = performance.now()
    }
    return all
  })
}))

export type TestHost = Effect.Effect.Success<typeof make>
