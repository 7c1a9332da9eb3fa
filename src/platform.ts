/**
 * `heddle/platform`: Layers between heddle's contracts of the machine and those of @effect/platform. Apart from the package root,
 * because @effect/platform is loaded with it.
 */
export * as FilesFromFileSystem from "./layers/platform/effect/FilesFromFileSystem.ts"
export * as FileSystemFromFiles from "./layers/platform/effect/FileSystemFromFiles.ts"
export * as ProcessesFromCommandExecutor from "./layers/platform/effect/ProcessesFromCommandExecutor.ts"
export * as TransportFromSocket from "./layers/platform/effect/TransportFromSocket.ts"
