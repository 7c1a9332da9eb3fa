/** Answers of three APIs that ask for a tool again and again, and report a usage of the test's choice. */
import * as LoopbackModel from "../LoopbackModel.ts"
import { type Api, wordsOf } from "./Wire.ts"

/** What a server reports; absent members are not sent. Any JSON can stand for a number. */
export interface Usage {
  readonly input?: unknown
  readonly output?: unknown
  readonly cached?: unknown
}

const eventOf = (data: object) => `data: ${JSON.stringify(data)}\n\n`
const named = (type: string, members: object) => `event: ${type}\n${eventOf({ type, ...members })}`

const anthropic = ({ cached, input, output }: Usage) =>
  named("message_delta", {
    delta: {},
    usage: { input_tokens: input, output_tokens: output, cache_read_input_tokens: cached }
  })

const chat = ({ cached, input, output }: Usage) =>
  eventOf({
    id: "c1",
    choices: [],
    usage: { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: { cached_tokens: cached } }
  })

const responses = ({ cached, input, output }: Usage) =>
  named("response.completed", {
    response: {
      id: "resp_1",
      output: [],
      status: "completed",
      usage: { input_tokens: input, output_tokens: output, input_tokens_details: { cached_tokens: cached } }
    }
  })

const startOf = (api: Api) => {
  const { start } = wordsOf(api)
  return api === "anthropic-messages" ? start.replace(',"usage":{"input_tokens":1}', "") : start
}

/** The end of an answer, with the usage where the API has it. */
const endOf = (api: Api, usage: Usage | undefined) => {
  const { finishTools } = wordsOf(api)
  if (api === "openai-responses") return usage === undefined ? finishTools : responses(usage)
  if (api === "openai-completions") {
    const done = "data: [DONE]\n\n"
    return finishTools.replace(done, (usage === undefined ? "" : chat(usage)) + done)
  }
  const silent = finishTools.replace(/,"usage":\{[^}]*\}/, "")
  return (usage === undefined ? "" : anthropic(usage)) + silent
}

/** Calls the tool `ls` with an id of its own, after `said`. */
export const toolAnswer = (api: Api, nth: number, usage: Usage | undefined, said = "I will look again.") => {
  const { openText, text, toolCall } = wordsOf(api)
  const call = toolCall(1, `call_${nth}`, "ls", "{}")
  return LoopbackModel.sse(startOf(api), openText, text(said), call, endOf(api, usage))
}
