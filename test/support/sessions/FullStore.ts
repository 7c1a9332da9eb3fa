/** A store in memory whose medium is full: sessions can be made and read, nothing can be added. */
import { Effect, Layer } from "effect"
import * as MemorySessionStore from "../../../src/layers/storage/sessions/MemorySessionStore.ts"
import { type SessionLog, SessionStore, StoreFailure } from "../../../src/services/storage/SessionStore.ts"

const full = (log: SessionLog): SessionLog => ({
  ...log,
  append: () =>
    new StoreFailure({
      operation: "append",
      reference: "session.jsonl",
      detail: "ENOSPC: no space left on device, write"
    })
})

export const layer = (options: { readonly cwd: string }) =>
  Layer.effect(
    SessionStore,
    Effect.map(MemorySessionStore.make(options), (store) => ({
      ...store,
      create: (given) => Effect.map(store.create(given), full)
    }))
  )
