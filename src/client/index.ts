/** `heddle/client`: a client of `heddle --mode rpc` for Node 20 and bun, without dependencies. */
export type { CallOptions, CommandFrame } from "./Call.ts"
export type { Exit } from "./Child.ts"
export type { HeadlessAnswers, UiAnswer, UiHandler, UiRequest } from "./Dialogs.ts"
export {
  CommandFailed,
  DeadlineExceeded,
  isRpcError,
  LineTooLong,
  NotResponding,
  NotRunning,
  ProcessEnded,
  PromptFailed,
  ProtocolError,
  type RpcError,
  StartFailed
} from "./Errors.ts"
export * as fibers from "./Fibers.ts"
export type { FiberTree } from "./Fibers.ts"
export type * from "./generated/Protocol.ts"
export type { CustomTool, ToolContext, ToolResult } from "./HostTools.ts"
export type { LaunchOptions } from "./Launch.ts"
export { RpcClient, type RpcClientOptions } from "./RpcClient.ts"
export type { PromptOutcome, Run } from "./Runs.ts"
