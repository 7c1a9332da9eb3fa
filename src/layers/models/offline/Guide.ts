/**
 * `offline/guide`: the model of a session that has no key. It keeps no state: its next step follows by fixed rules from the
 * messages since the last prompt. It lists folders, reads files, then reports what it found.
 */
import * as ContextTokens from "../../../domain/compaction/ContextTokens.ts"
import * as SummaryPrompts from "../../../domain/compaction/SummaryPrompts.ts"
import { plainText } from "../../../domain/conversation/Content.ts"
import type { Message } from "../../../domain/conversation/Message.ts"
import type { ModelRequest } from "../../../services/model/ModelClient.ts"
import * as Deltas from "./Deltas.ts"
import * as GuideAnswer from "./GuideAnswer.ts"
import type * as Playback from "./Playback.ts"

type Call = GuideAnswer.Call

/** Enough of a file for a title, a manifest, the first lines of code. */
const linesPerRead = 60
const mostReads = 3
const workingFolder = "."

/** The calls since the last prompt, with their results. */
const callsMade = (since: ReadonlyArray<Message>): ReadonlyArray<GuideAnswer.MadeCall> =>
  since.flatMap(({ content }) =>
    content.flatMap((block) => {
      if (block.type !== "toolCall" || (block.name !== "ls" && block.name !== "read")) return []
      const { path } = block.arguments
      const result = since.find((message) => message.role === "toolResult" && message.toolCallId === block.id)
      return [{ tool: block.name, path: typeof path === "string" ? path : workingFolder, result }]
    })
  )

const isSame = (one: Call) => (other: Call) => one.tool === other.tool && one.path === other.path
const hasExtension = /[^./]\.[a-z]\w*$/i

/** Without the quotes and punctuation around a word of prose. */
const bare = (word: string) => word.replace(/^[("'`[@]+/, "").replace(/(:\d+)*[)"'`\],;:!?.]*$/, "")

const wordsOf = (prompt: string) => prompt.slice(0, 4000).split(/\s+/).map(bare)

/** The paths that a prompt names. */
const namedIn = (prompt: string): ReadonlyArray<Call> =>
  [...new Set(wordsOf(prompt))]
    .filter(
      (word) => (/\w\/|\/\w/.test(word) && !word.includes("//")) || (hasExtension.test(word) && !/[@:]/.test(word))
    )
    .slice(0, mostReads)
    .map((path) => ({ tool: hasExtension.test(path) ? "read" : "ls", path }))

/** Best first. */
const worthReading = [
  /^readme/i,
  /^(package\.json|cargo\.toml|pyproject\.toml|go\.mod)$/i,
  /^(main|index|app|cli|lib|mod)\.\w+$/i
]

/** What a listing suggests: the entries that the prompt mentions, or the files that tell most about a folder. */
const nextIn = (folder: string, { files, folders }: GuideAnswer.Listing, prompt: string): ReadonlyArray<Call> => {
  const at = (name: string) => (folder === workingFolder ? name : `${folder.replace(/\/+$/, "")}/${name}`)
  const mentioned = (name: string) => wordsOf(prompt).includes(name)
  const asked: ReadonlyArray<Call> = [
    ...folders.filter(mentioned).map((name): Call => ({ tool: "ls", path: at(name) })),
    ...files.filter(mentioned).map((name): Call => ({ tool: "read", path: at(name) }))
  ]
  if (folder === workingFolder && asked.length > 0) return asked.slice(0, mostReads)
  const known = worthReading.flatMap((pattern) => files.find((name) => pattern.test(name)) ?? [])
  const chosen = known.length > 0 ? known : files.filter((name) => /\.(md|txt|[jt]sx?|py|rs|go)$/.test(name))
  return chosen.slice(0, mostReads).map((name) => ({ tool: "read", path: at(name) }))
}

const followUps = (call: GuideAnswer.MadeCall, prompt: string): ReadonlyArray<Call> => {
  const { path, result, tool } = call
  if (result === undefined) return []
  const text = plainText(result.content)
  if (GuideAnswer.failed(call)) {
    // The kind of a path was only guessed from its name.
    if (tool === "read" && /is a directory/i.test(text)) return [{ tool: "ls", path }]
    return tool === "ls" && /not a directory/i.test(text) ? [{ tool: "read", path }] : []
  }
  return tool === "ls" ? nextIn(path, GuideAnswer.listing(text), prompt) : []
}

interface Move {
  readonly thinking: string
  readonly text: string
  readonly calls: ReadonlyArray<Call>
}

const small = /^\W*(hi|hello|hey|thanks?|help|who are you|what can you do)\b.{0,20}$/i

const decide = (request: ModelRequest, asked: Message | undefined, since: ReadonlyArray<Message>): Move => {
  const prompt = plainText(asked?.content ?? [])
  if (request.systemPrompt === SummaryPrompts.system)
    return { thinking: "", text: GuideAnswer.summary(prompt), calls: [] }
  const hasImages = asked?.content.some(({ type }) => type === "image") === true
  const needsNoTool = small.test(prompt) || (hasImages && prompt.trim() === "")
  const made = callsMade(since)
  const named = namedIn(prompt)
  const first: ReadonlyArray<Call> = named.length > 0 ? named : [{ tool: "ls", path: workingFolder }]
  const wanted = needsNoTool ? [] : [...first, ...made.flatMap((call) => followUps(call, prompt))]
  const due = wanted.filter((call, at) => !made.some(isSame(call)) && wanted.findIndex(isSame(call)) === at)
  const calls = due.filter(({ tool }) => request.tools.some(({ name }) => name === tool))
  if (calls.length === 0) {
    return {
      thinking: "Nothing is left to look at.",
      text: GuideAnswer.write({ made, missing: due, hasImages }),
      calls
    }
  }
  const thinking =
    made.length > 0 ? "The results name what to look at next." : "First I look at what the prompt is about."
  return { thinking, text: GuideAnswer.announce(calls), calls }
}

/** The next step of the model for this request. */
export function* steps(request: ModelRequest, pace: Deltas.Pace = {}): Generator<Playback.Step> {
  const { messages, thinkingLevel } = request
  const at = messages.findLastIndex(({ role }) => role === "user")
  const since = messages.slice(at + 1)
  const { calls, text, thinking } = decide(request, messages[at], since)
  let written = text.length
  if (thinking !== "" && thinkingLevel !== "off") {
    written += thinking.length
    yield { _tag: "ThinkingStarted" }
    yield* Deltas.stream(thinking, pace)
    yield { _tag: "BlockEnded" }
  }
  yield { _tag: "TextStarted" }
  yield* Deltas.stream(text, pace)
  yield { _tag: "BlockEnded" }
  for (const [index, { path, tool }] of calls.entries()) {
    const args = JSON.stringify(tool === "ls" ? { path } : { path, limit: linesPerRead })
    written += tool.length + args.length
    // Unique in a conversation without a counter: prompts and steps only grow in number.
    const numbers = [messages.filter(({ role }) => role === "user"), since.filter(({ role }) => role === "assistant")]
    const [prompts, before] = numbers.map(({ length }) => length)
    yield { _tag: "ToolCallStarted", id: `call_${prompts}_${(before ?? 0) + 1}_${index + 1}`, name: tool }
    yield* Deltas.stream(args, pace)
    yield { _tag: "BlockEnded" }
  }
  // The system prompt is left out: it names the folder, and the same run counts the same everywhere.
  const tokens = {
    input: ContextTokens.estimateAll(messages),
    output: Math.ceil(written / 4),
    cacheRead: 0,
    cacheWrite: 0
  }
  yield { _tag: "UsageReported", tokens }
  yield { _tag: "Finished", stopReason: calls.length > 0 ? "toolUse" : "stop" }
}
