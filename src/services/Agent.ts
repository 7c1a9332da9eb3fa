/** The agent of one session: its conversation, its run, and the sinks that watch its events. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { AgentEvent, RequestId } from "../domain/conversation/AgentEvent.ts"
import type { CompactionResult } from "../domain/compaction/CompactionResult.ts"
import { type ImageContent, type InputContent, plainText } from "../domain/conversation/Content.ts"
import type { CustomInput, UserInput } from "../domain/conversation/Message.ts"
import type { MessageQueue, Promotion, QueuedMessage, RunQueueName } from "../domain/conversation/MessageQueue.ts"
import type { Model, ThinkingLevel } from "../domain/model/Model.ts"
import type { CompactionFailed } from "./Compaction.ts"
import type {
  AgentBusy,
  AgentClosing,
  PromptRejected,
  QueueFull,
  QueueingRejected,
  QueueRefused
} from "./Rejections.ts"
import type { NotStorable, SendOptions, SendReceipt, SendUserOptions } from "./Sending.ts"
import type { EventSink } from "./session/EventLog.ts"
import type { ModuleState } from "./session/SessionCore.ts"
import type { AbortQueue, InterruptMode, QueueMode } from "./Settings.ts"

export * from "./Rejections.ts"
export type { EventSink } from "./session/EventLog.ts"

export interface MessageInput extends UserInput {
  readonly requestId?: RequestId
  /** Who says it. Default: the host. A prompt of an extension has no requester, so it has no PromptFinished. */
  readonly source?: "host" | "extension"
  /** The sender's own id for the message. The same id and content again have no effect, also after a restart. */
  readonly clientMessageId?: string
  /** Takes the text as it is: no hook changes it, and it names no command. */
  readonly literal?: true
  /** The text names no command, even if it looks like one. */
  readonly noCommand?: true
  /** How many handlers lie around the sender that were called for messages of others of them. */
  readonly nesting?: number
}

export interface PromptInput extends MessageInput {
  /** The queue that the prompt joins during a run. Without it, a prompt during a run is refused. */
  readonly whenBusy?: RunQueueName
}

const queues = { steer: "steering", followUp: "followUp" } as const

const textAndImages = (content: string | ReadonlyArray<InputContent>) => {
  if (typeof content === "string") return { text: content }
  const texts = content.flatMap((block) => (block.type === "text" ? [plainText([block])] : []))
  return { text: texts.join("\n"), images: content.filter((block) => block.type === "image") }
}

/** A user message from an extension, as a prompt: nobody waits for its end, so it has no PromptFinished. */
export const userPrompt = (
  content: string | ReadonlyArray<InputContent>,
  { deliverAs, nesting = 0, takesCommands = false }: SendUserOptions = {}
): PromptInput => ({
  ...textAndImages(content),
  source: "extension",
  ...(nesting === 0 ? {} : { nesting }),
  ...(deliverAs === undefined ? {} : { whenBusy: queues[deliverAs] }),
  ...(takesCommands ? {} : { noCommand: true })
})

export interface PromptReceipt {
  /** `handled`: a hook or a slash command has dealt with the message. */
  readonly disposition: "started" | "queued" | "handled"
  readonly runId?: string
  /** Absent when the prompt was handled, because no message was stored. */
  readonly messageId?: string
  readonly clientMessageId?: string
  /** The message was sent before; this is the receipt that it got then. */
  readonly duplicate?: true
  /** The message was queued while the session was idle. The first turn of the next run takes it. */
  readonly idle?: true
  /** The prompt was handled and has ended, so no PromptFinished follows. */
  readonly agentInvoked?: false
}

export interface QueueEdit {
  readonly text?: string
  readonly images?: ReadonlyArray<ImageContent>
  /** The edit is refused when the queue has another revision. */
  readonly expectedRevision?: number
}

export interface CompactOptions {
  readonly customInstructions?: string
  /** Resumes the run that the compaction aborted. */
  readonly resume?: boolean
}

export interface CompactOutcome extends CompactionResult {
  readonly abortedRun?: boolean
  /** The run that continues the aborted one. */
  readonly resumed?: { readonly runId: string; readonly messageId: string }
}

export type CompactRejected = CompactionFailed | AgentBusy | AgentClosing

/** With the members that modules add. */
export interface AgentState extends ModuleState {
  readonly sessionId: string
  readonly sessionFile?: string
  readonly model?: Model
  readonly thinkingLevel: ThinkingLevel
  readonly steeringMode: QueueMode
  readonly followUpMode: QueueMode
  readonly interruptMode: InterruptMode
  /** From the acceptance of a prompt to the end of its run. */
  readonly isStreaming: boolean
  /** No run is going on, and no requester waits for a prompt in the queue. */
  readonly isSettled: boolean
  readonly messageCount: number
  readonly queue: MessageQueue
  readonly isCompacting: boolean
}

/**
 * A message leaves the queue with its MessageStarted, so none is both removed and delivered. What is queued when the
 * process ends is queued again when the session is opened. Prompts among it have no requester any more.
 */
export interface QueueControl {
  readonly current: Effect.Effect<MessageQueue>
  /** Empties the queue, also of what waits for the next prompt. Prompts in it end as aborted. */
  readonly clear: Effect.Effect<ReadonlyArray<QueuedMessage>>
  readonly edit: (messageId: string, edit: QueueEdit) => Effect.Effect<QueuedMessage, QueueRefused | QueueFull>
  readonly remove: (messageId: string) => Effect.Effect<QueuedMessage, QueueRefused>
  readonly promote: (messageId: string, to: Promotion) => Effect.Effect<QueuedMessage, QueueRefused>
}

export interface AgentEvents {
  /** Delivers every event from now on, until the scope closes. */
  readonly attach: (sink: EventSink) => Effect.Effect<void, never, Scope.Scope>
  /** The same as a Stream. It has every event from the moment this returns, also those before the Stream is run. */
  readonly subscribe: Effect.Effect<Stream.Stream<AgentEvent>, never, Scope.Scope>
}

export class Agent extends Context.Tag("heddle/services/Agent")<
  Agent,
  {
    /**
     * Accepts or rejects a prompt. `accepted` runs after the user message is stored and before the first event of
     * the run; every accepted prompt ends with exactly one PromptFinished, every run with one RunEnded. A slash command
     * is carried out also during a run, in a fiber of the session.
     */
    readonly prompt: (
      input: PromptInput,
      accepted?: (receipt: PromptReceipt) => Effect.Effect<void>
    ) => Effect.Effect<PromptReceipt, PromptRejected>
    /** Queues a message, also when idle. It is stored when this returns. No PromptFinished follows for it. */
    readonly enqueue: (queue: RunQueueName, input: MessageInput) => Effect.Effect<PromptReceipt, QueueingRejected>
    /**
     * Takes a custom message. It is stored when this returns, queued or in the conversation. When the session is idle it
     * joins the conversation at once, with MessageStarted and MessageEnded outside a run, or starts a run if
     * `triggerTurn` says so.
     */
    readonly send: (
      message: CustomInput,
      options?: SendOptions
    ) => Effect.Effect<SendReceipt, PromptRejected | NotStorable>
    /** What waits for a run. */
    readonly queue: QueueControl
    /**
     * Interrupts the run and a compaction, returns after their last event, and hands back the queue. Messages for the next
     * prompt stay queued; with `queue: "keep"` all of them do.
     */
    readonly abort: (options?: { readonly queue?: AbortQueue }) => Effect.Effect<ReadonlyArray<QueuedMessage>>
    /**
     * Aborts the run, if there is one, and replaces the older part of the conversation by a summary. `answered` runs
     * before the first event of a run that is resumed. An interrupt leaves the conversation as it was.
     */
    readonly compact: (
      options: CompactOptions,
      answered?: (outcome: CompactOutcome) => Effect.Effect<void>
    ) => Effect.Effect<CompactOutcome, CompactRejected>
    /** Returns when no run is going on. */
    readonly awaitIdle: Effect.Effect<void>
    /** Refuses prompts from now on. The run continues: end it with `abort`, or wait for it with `awaitIdle`. */
    readonly close: Effect.Effect<void>
    readonly state: Effect.Effect<AgentState>
    readonly events: AgentEvents
  }
>() {}
