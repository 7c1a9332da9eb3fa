/**
 * What a model call has used: the report of its provider where that can be right, else an estimate of what was sent and
 * received (protocol.md 15). Limits hold on the result, and it is what sessions store. Pure.
 */
import * as Json from "../Json.ts"
import type * as AssistantDraft from "../conversation/AssistantDraft.ts"
import * as Blocks from "../conversation/Blocks.ts"
import type { Message } from "../conversation/Message.ts"
import * as ContextTokens from "../compaction/ContextTokens.ts"
import { label } from "./Model.ts"
import * as Usage from "./Usage.ts"

/** The parts of a request that its provider counts. */
export interface Sent {
  readonly systemPrompt: string
  readonly messages: ReadonlyArray<Message>
  readonly tools: ReadonlyArray<unknown>
}

export interface Measured {
  readonly usage: Usage.Usage
  /** A sentence for people where the provider has reported what cannot be right. */
  readonly doubt?: string
}

const charactersPerToken = 4

/** No tokenizer packs so much more text into a token than the estimate assumes. A report below that is wrong. */
const tolerance = 16

const ofText = (characters: number): number => Math.ceil(characters / charactersPerToken)

const received = ({ blocks }: AssistantDraft.AssistantDraft): number => {
  let characters = 0
  for (const block of Blocks.slice(blocks)) characters += block.text.length + ("name" in block ? block.name.length : 0)
  return ofText(characters)
}

/** Only the text of the conversation. A provider may leave images out, and count its cached prompt elsewhere. */
const leastSent = ({ messages }: Sent): number => {
  let characters = 0
  for (const { content } of messages)
    for (const block of content) if (block.type === "text") characters += block.text.length
  return Math.max(1, ofText(characters))
}

const allSent = ({ messages, systemPrompt, tools }: Sent): number =>
  ofText(systemPrompt.length + Json.stringify(tools).length) + ContextTokens.estimateAll(messages)

const isTooLow = (reported: number, estimate: number): boolean => reported * tolerance < estimate

const doubtOf = (draft: AssistantDraft.AssistantDraft, problem: string): string =>
  `${label(draft.model)} has reported a usage that cannot be right (${problem}). ` +
  "heddle counts its own estimate where that is more, and marks it as estimated."

/** `sent` is undefined where the call was not made. */
export const measure = (draft: AssistantDraft.AssistantDraft, sent: Sent | undefined): Measured => {
  const { blocks, finished, reported, usage } = draft
  const { exact = false, problem: refused, tokens = Usage.zeroTokens } = reported ?? {}
  const isComplete = finished !== undefined
  // Otherwise the call was refused, or ended before it was worked on.
  const isUsed = isComplete || blocks !== undefined || refused !== undefined || usage.totalTokens > 0
  if (sent === undefined || !isUsed || exact) return { usage }
  const [input, output] = [Usage.inputOf(tokens), received(draft)]
  const least = leastSent(sent)
  const lowInput = refused !== undefined || isTooLow(input, least)
  // A call that was cut off has not reported all of its output.
  const lowOutput = refused !== undefined || isTooLow(tokens.output, output) || (!isComplete && output > tokens.output)
  if (!lowInput && !lowOutput) return { usage }
  const estimate = lowInput ? Math.max(input, allSent(sent)) : input
  const counted = {
    ...tokens,
    input: tokens.input + estimate - input,
    output: lowOutput ? Math.max(tokens.output, output) : tokens.output
  }
  const result = { usage: { ...Usage.make(counted, draft.model.cost), estimated: true } } as const
  if (reported === undefined || (refused === undefined && !isComplete)) return result
  const found = lowInput
    ? `${input} tokens of input for about ${estimate}`
    : `${tokens.output} tokens of output for about ${output}`
  return { ...result, doubt: doubtOf(draft, refused ?? found) }
}
