/**
 * `heddle/platform`: Layers between heddle's contracts of the machine and those of @effect/platform. Apart from the package root,
 * because @effect/platform is loaded with it.
 */
export * as FilesFromFileSystem from "./layers/machine/effect/FilesFromFileSystem.ts"
export * as FileSystemFromFiles from "./layers/machine/effect/FileSystemFromFiles.ts"
export * as ProcessesFromCommandExecutor from "./layers/machine/effect/ProcessesFromCommandExecutor.ts"
export * as TransportFromSocket from "./layers/machine/effect/TransportFromSocket.ts"
