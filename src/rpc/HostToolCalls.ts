/** Calls that this host runs for us, and the frames that answer them. Owned by the server of the connection. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import type { JsonObject } from "../domain/conversation/Content.ts"
import type { ToolOutput } from "../domain/conversation/Message.ts"
import type { HostTool, HostToolDefinition } from "../services/host/HostTools.ts"
import type { Ids } from "../services/Ids.ts"
import * as Supervision from "../services/supervision/Supervision.ts"
import { type ToolContext, ToolFailure } from "../services/Tools.ts"
import { readOutput, toFailure } from "./protocol/HostToolFrames.ts"

/** A call that has no result yet. */
interface Pending {
  readonly id: string
  readonly updates: Array<ToolOutput>
  /** Opened when there is something to look at. */
  readonly news: Effect.Latch
  answer: Effect.Effect<ToolOutput, ToolFailure> | undefined
  /** The host is still at it: it has not answered, or not in a way that we understand. */
  hostIsWorking: boolean
}

export interface HostToolCalls {
  readonly toTool: (definition: HostToolDefinition) => HostTool
  /** True when the frame is about a call, also about one that is over: nothing else happens then. */
  readonly receive: (type: string, frame: unknown) => boolean
  /** The host is gone: what it has not answered fails, and so does every further call. */
  readonly disconnect: () => void
}

/** Progress that may wait to be shown; beyond that only the newest is kept, which says everything. */
const mostUpdates = 64

const disconnected = "RPC client disconnected before host tool execution completed"
const lost = new ToolFailure({ message: disconnected })

const settle = (pending: Pending, answer: Pending["answer"]) => {
  pending.answer ??= answer
  pending.news.unsafeOpen()
}

const receiveUpdate = (pending: Pending, partialResult: unknown) => {
  const output = readOutput(partialResult)
  if (output === undefined) return settle(pending, new ToolFailure({ message: "Invalid host_tool_update payload" }))
  if (pending.updates.length >= mostUpdates) pending.updates.pop()
  pending.updates.push(output)
  pending.news.unsafeOpen()
}

const receiveResult = (pending: Pending, result: unknown, isError: unknown) => {
  pending.hostIsWorking = false
  const output = readOutput(result)
  if (output === undefined) return settle(pending, new ToolFailure({ message: "Invalid host_tool_result payload" }))
  settle(pending, isError === true ? toFailure(output) : Effect.succeed(output))
}

/** Shows progress as it comes, then gives the answer. */
const follow = Effect.fnUntraced(function* (pending: Pending, { progress }: ToolContext) {
  while (true) {
    yield* pending.news.await
    pending.news.unsafeClose()
    for (let next = pending.updates.shift(); next !== undefined; next = pending.updates.shift()) yield* progress(next)
    if (pending.answer !== undefined) return yield* pending.answer
  }
})

export const make = (ids: typeof Ids.Service, send: (frame: object) => void): HostToolCalls => {
  const calls = new Map<string, Pending>()
  let connected = true

  const begin = Effect.sync(() => {
    const id = ids.next("hostCall")
    const news = Effect.unsafeMakeLatch(false)
    const pending: Pending = { id, updates: [], news, answer: undefined, hostIsWorking: true }
    calls.set(id, pending)
    return pending
  })

  /** The host is told once, and only if it would go on for nothing. */
  const end = ({ hostIsWorking, id: targetId }: Pending, exit: Exit.Exit<unknown, unknown>) => {
    calls.delete(targetId)
    if (Exit.isSuccess(exit) || !hostIsWorking || !connected) return Effect.void
    return Effect.sync(() => send({ type: "host_tool_cancel", id: ids.next("hostCancel"), targetId }))
  }

  const call = ({ label, name }: HostToolDefinition, args: JsonObject, context: ToolContext) => {
    const { toolCallId } = context
    const use = (pending: Pending) => {
      const { id } = pending
      const spec: Supervision.NodeSpec = {
        kind: "host_call",
        label: label ?? name,
        refs: { toolCallId, hostCallId: id },
        waitingOn: { kind: "host", id }
      }
      return Supervision.node(spec, () => {
        send({ type: "host_tool_call", id, toolCallId, toolName: name, arguments: args })
        return follow(pending, context)
      })
    }
    return Effect.suspend(() => (connected ? Effect.acquireUseRelease(begin, use, end) : lost))
  }

  return {
    toTool: (definition) => ({
      ...definition,
      call: (args, context) => call(definition, args, context),
      abortedText: () => (connected ? `Host tool "${definition.name}" was aborted` : disconnected)
    }),
    receive: (type, frame) => {
      if (type !== "host_tool_update" && type !== "host_tool_result") return false
      if (!Predicate.isReadonlyRecord(frame) || typeof frame["id"] !== "string") return true
      const pending = calls.get(frame["id"])
      if (pending === undefined || pending.answer !== undefined) return true
      if (type === "host_tool_update") receiveUpdate(pending, frame["partialResult"])
      else receiveResult(pending, frame["result"], frame["isError"])
      return true
    },
    disconnect: () => {
      connected = false
      for (const pending of calls.values()) settle(pending, lost)
    }
  }
}
