/**
 * `heddle/testing`: for tests of programs that embed heddle. A model that plays a script, ids that count, a host on in-memory
 * pipes, sessions in memory, and the checks that a store of your own must pass. Nothing here depends on a test runner.
 */
export * as FixedIds from "./testing/FixedIds.ts"
export * as FilesConformance from "./layers/machine/files/FilesConformance.ts"
export * as MemoryHost from "./testing/MemoryHost.ts"
export * as MemorySessionStore from "./layers/storage/sessions/MemorySessionStore.ts"
export * as ProcessesConformance from "./layers/machine/processes/ProcessesConformance.ts"
export * as ScriptedModel from "./testing/ScriptedModel.ts"
export * as StoreConformance from "./layers/storage/sessions/StoreConformance.ts"
export * as TransportConformance from "./services/host/TransportConformance.ts"
