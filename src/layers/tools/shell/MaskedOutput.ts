/** Masks what tools report: the content that models read, and the details that hosts show. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { InputContent, JsonObject } from "../../../domain/conversation/Content.ts"
import { defined } from "../../../domain/Values.ts"
import { type Tool, type ToolAnswer, type ToolContext, ToolFailure } from "../../../services/Tools.ts"
import { none, type Secrets } from "../../machine/secrets/KnownSecrets.ts"

type Mask = Secrets["mask"]

/** Deeper values do not come in. */
const deepest = 1000

const maskValue = (mask: Mask, value: unknown, depth: number): unknown => {
  if (typeof value === "string") return mask(value)
  if (depth > deepest) return value
  if (Array.isArray(value)) return value.map((item) => maskValue(mask, item, depth + 1))
  return Predicate.isRecord(value) ? maskObject(mask, value, depth) : value
}

const maskObject = (mask: Mask, value: Readonly<Record<PropertyKey, unknown>>, depth: number): JsonObject =>
  Object.fromEntries(Object.entries(value).map(([name, member]) => [mask(name), maskValue(mask, member, depth + 1)]))

/** Pictures are left alone: their bytes spell nothing. */
const maskContent = (mask: Mask, content: ReadonlyArray<InputContent>): ReadonlyArray<InputContent> =>
  content.map((block) => (block.type === "text" ? { ...block, text: mask(block.text) } : block))

const output = (mask: Mask, { content, details, ...rest }: ToolAnswer): ToolAnswer => ({
  ...rest,
  content: maskContent(mask, content),
  ...defined({ details: details && maskObject(mask, details, 0) })
})

const failure = (mask: Mask, { content, details, message, terminate }: ToolFailure) =>
  new ToolFailure({
    message: mask(message),
    ...defined({
      terminate,
      content: content && maskContent(mask, content),
      details: details && maskObject(mask, details, 0)
    })
  })

/** The same tool, whose progress and results show no secret. */
export const make = (secrets: Secrets) => {
  const { mask } = secrets
  if (secrets === none) return (tool: Tool): Tool => tool
  return (tool: Tool): Tool => ({
    get definition() {
      return tool.definition
    },
    concurrency: tool.concurrency,
    ...defined({ origin: tool.origin, preview: tool.preview }),
    get abortedText() {
      return tool.abortedText
    },
    run: (args, context) => {
      const progress: ToolContext["progress"] = (report) => context.progress(output(mask, report))
      const orInterrupted: ToolContext["orInterrupted"] = (answer) =>
        context.orInterrupted((reason) => Effect.map(answer(reason), (answered) => output(mask, answered)))
      return Effect.zipRight(
        secrets.collected,
        Effect.suspend(() => tool.run(args, { ...context, progress, orInterrupted }))
      ).pipe(Effect.mapBoth({ onFailure: (failed) => failure(mask, failed), onSuccess: (done) => output(mask, done) }))
    }
  })
}
