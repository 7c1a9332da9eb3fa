/** `heddle/client/effect`: the client for programs that use Effect. */
export { HeddleClient, layer, make, type Options, type Service } from "./HeddleClient.ts"
export type { Request } from "./Request.ts"
export { type Tool, tool, type ToolContext, type Ui } from "./Tools.ts"
export {
  CommandFailed,
  DeadlineExceeded,
  isRpcError,
  LineTooLong,
  NotResponding,
  NotRunning,
  ProcessEnded,
  PromptFailed,
  type RpcError,
  StartFailed
} from "../Errors.ts"
export * as fibers from "../Fibers.ts"
export type { FiberTree } from "../Fibers.ts"
export type * from "../generated/Protocol.ts"
export type { UiAnswer, UiRequest } from "../Dialogs.ts"
export type { ToolResult } from "../HostTools.ts"
export type { PromptOutcome } from "../Runs.ts"
