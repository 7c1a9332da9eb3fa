/** Tells from an answer that the conversation was longer than the window of the model. */

interface Answer {
  readonly stopReason?: string
  readonly errorMessage?: string
  readonly usage?: { readonly input: number; readonly output: number; readonly cacheRead: number }
}

/** What providers say. */
const patterns = [
  /prompt is too long|prompt too long/i,
  /request_too_large/i,
  /exceeds? (the|the available|the model's|model's|its)? ?(maximum )?(context|allowed input) (window|length|size)/i,
  /maximum (context|prompt|allowed input) length/i,
  /longer than the model's context length/i,
  /input token count.*exceeds the maximum/i,
  /reduce the length of the messages/i,
  /greater than the context length/i,
  /exceeded model token limit/i,
  /too large for model with \d+ maximum context length/i,
  /but the configured context size is/i,
  /context[_ ]length[_ ]exceeded/i,
  /range of input length should be/i
]

export const getOverflowPatterns = (): Array<RegExp> => [...patterns]

/** With a window, also an answer whose prompt did not fit but was taken all the same. */
export const isContextOverflow = ({ errorMessage = "", stopReason, usage }: Answer, contextWindow = 0): boolean => {
  if (stopReason === "error") return patterns.some((pattern) => pattern.test(errorMessage))
  const sent = usage === undefined ? 0 : usage.input + usage.cacheRead
  if (contextWindow <= 0 || sent === 0) return false
  return sent > contextWindow || (stopReason === "length" && usage?.output === 0 && sent >= contextWindow * 0.99)
}
