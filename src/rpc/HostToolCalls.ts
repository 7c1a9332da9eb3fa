/** Tool calls that the host runs, and the frames with which it answers them. Owned by the server of the connection. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Mailbox from "effect/Mailbox"
import type { JsonObject } from "../domain/conversation/Content.ts"
import type { ToolOutput } from "../domain/conversation/Message.ts"
import type { HostTool, HostToolDefinition } from "../services/host/HostTools.ts"
import type { Ids } from "../services/Ids.ts"
import * as Supervision from "../services/supervision/Supervision.ts"
import { cutOff, type ToolContext, ToolFailure } from "../services/Tools.ts"
import * as Envelope from "./protocol/Envelope.ts"
import { readResult, readUpdate } from "./protocol/HostToolFrames.ts"

/** A call that has no result yet. */
interface Pending {
  readonly id: string
  /** Ends when the answer is there. */
  readonly updates: Mailbox.Mailbox<ToolOutput>
  readonly answer: Deferred.Deferred<ToolOutput, ToolFailure>
  /** The newest of the updates, whether it was shown or not. */
  latest: ToolOutput | undefined
}

export interface HostToolCalls {
  readonly toTool: (definition: HostToolDefinition) => HostTool
  /** True for every frame about a call, also about one that is over: the caller has nothing left to do with it. */
  readonly receive: (type: string, frame: unknown) => boolean
  /** The host has answered a call with a frame that cannot be taken: the call fails, and the model reads why. */
  readonly refuse: (type: string | undefined, frame: unknown, why: string) => void
  /** The host is gone: the calls it has not answered fail, and so does every later call. */
  readonly disconnect: () => void
}

/** Updates that may wait to be shown. Each repeats the ones before it, so the oldest are dropped first. */
const mostUpdates = 64

const disconnected = "RPC client disconnected before host tool execution completed"
const lost = new ToolFailure({ message: disconnected })

const settle = ({ answer, updates }: Pending, result: Effect.Effect<ToolOutput, ToolFailure>) => {
  Deferred.unsafeDone(answer, result)
  updates.unsafeDone(Exit.void)
}

const invalid = (type: string, why: string) => new ToolFailure({ message: `Invalid ${type} payload: ${why}` })

const receiveUpdate = (pending: Pending, frame: unknown) => {
  const output = readUpdate(frame)
  if (Either.isLeft(output)) settle(pending, invalid("host_tool_update", output.left))
  else {
    pending.latest = output.right
    pending.updates.unsafeOffer(output.right)
  }
}

const receiveResult = (pending: Pending, frame: unknown) => {
  const result = readResult(frame)
  settle(pending, Either.isLeft(result) ? invalid("host_tool_result", result.left) : result.right)
}

/** Shows progress as it comes, then gives the answer. */
const follow = Effect.fnUntraced(function* ({ answer, updates }: Pending, { progress }: ToolContext) {
  for (let done = false; !done;) {
    const [some, isLast] = yield* updates.takeAll
    for (const update of some) yield* progress(update)
    done = isLast
  }
  return yield* answer
})

export const make = (ids: typeof Ids.Service, send: (frame: object) => void): HostToolCalls => {
  /** The calls that the host is working on. */
  const calls = new Map<string, Pending>()
  let connected = true

  const begin = Effect.gen(function* () {
    const updates = yield* Mailbox.make<ToolOutput>({ capacity: mostUpdates, strategy: "sliding" })
    const answer = yield* Deferred.make<ToolOutput, ToolFailure>()
    const pending: Pending = { id: ids.next("hostCall"), updates, answer, latest: undefined }
    calls.set(pending.id, pending)
    return pending
  })

  /** Asks the host once to stop, and only if it would otherwise go on for nothing. */
  const end = ({ id: targetId }: Pending, exit: Exit.Exit<unknown, unknown>) =>
    Effect.sync(() => {
      const isWorking = calls.delete(targetId)
      if (Exit.isSuccess(exit) || !isWorking || !connected) return
      send({ type: "host_tool_cancel", id: ids.next("hostCancel"), targetId })
    })

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
        const soFar = (reason: string) => Effect.sync(() => cutOff(reason, pending.latest))
        return context.orInterrupted(soFar)(follow(pending, context))
      })
    }
    return Effect.suspend(() => (connected ? Effect.acquireUseRelease(begin, use, end) : lost))
  }

  const pendingOf = (type: string | undefined, frame: unknown) => {
    if (type !== "host_tool_update" && type !== "host_tool_result") return undefined
    const { id } = Envelope.read(frame)
    return typeof id === "string" ? calls.get(id) : undefined
  }

  return {
    toTool: (definition) => ({
      ...definition,
      call: (args, context) => call(definition, args, context),
      abortedText: () => (connected ? `Host tool "${definition.name}" was aborted` : disconnected)
    }),
    receive: (type, frame) => {
      if (type !== "host_tool_update" && type !== "host_tool_result") return false
      const pending = pendingOf(type, frame)
      if (pending === undefined) return true
      if (type === "host_tool_update") receiveUpdate(pending, frame)
      else {
        calls.delete(pending.id)
        receiveResult(pending, frame)
      }
      return true
    },
    refuse: (type, frame, why) => {
      const pending = pendingOf(type, frame)
      if (pending === undefined) return
      if (type === "host_tool_result") calls.delete(pending.id)
      settle(pending, invalid(String(type), why))
    },
    disconnect: () => {
      connected = false
      for (const pending of calls.values()) settle(pending, lost)
    }
  }
}
