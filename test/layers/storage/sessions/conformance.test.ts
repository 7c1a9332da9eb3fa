import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as RandomIds from "../../../../src/layers/machine/engine/RandomIds.ts"
import * as JsonlSessionStore from "../../../../src/layers/storage/sessions/JsonlSessionStore.ts"
import * as MemorySessionStore from "../../../../src/layers/storage/sessions/MemorySessionStore.ts"
import * as StoreConformance from "../../../../src/layers/storage/sessions/StoreConformance.ts"

const files = Layer.unwrapScoped(
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "heddle-store-"))),
      (root) => Effect.sync(() => rmSync(root, { recursive: true }))
    ),
    (agentDir) => JsonlSessionStore.layer({ agentDir, cwd: "/work", home: "/home/me" })
  )
)

const stores = { memory: MemorySessionStore.layer({ cwd: "/work" }), files }

for (const [name, store] of Object.entries(stores)) {
  describe(`the store in ${name}`, () => {
    for (const check of StoreConformance.checks) {
      it.effect(check.name, () => Effect.provide(check.run, Layer.provide(store, RandomIds.layer)))
    }
  })
}
