/**
 * `heddle/testing`: for tests of programs that embed heddle. A model that plays a script, ids that count, a host on in-memory
 * pipes, sessions in memory, and the checks that a store of your own must pass. Nothing here depends on a test runner.
 */
export * as FixedIds from "./layers/testing/FixedIds.ts"
export * as FilesConformance from "./layers/platform/files/FilesConformance.ts"
export * as MemoryHost from "./layers/testing/MemoryHost.ts"
export * as MemorySessionStore from "./layers/session/MemorySessionStore.ts"
export * as ProcessesConformance from "./layers/platform/processes/ProcessesConformance.ts"
export * as ScriptedModel from "./layers/testing/ScriptedModel.ts"
export * as StoreConformance from "./layers/session/StoreConformance.ts"
export * as TransportConformance from "./services/host/TransportConformance.ts"
