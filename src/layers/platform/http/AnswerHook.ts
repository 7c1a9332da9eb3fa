/** Calls back with status and headers of an answer, before anybody reads its body. */

export interface AnswerHead {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

/** Both SDKs throw an answer that is an error, with these two members. */
const headOf = (answer: unknown): AnswerHead | undefined => {
  if (typeof answer !== "object" || answer === null || !("status" in answer) || !("headers" in answer)) return undefined
  const { headers, status } = answer
  return typeof status === "number" && headers instanceof Headers
    ? { status, headers: Object.fromEntries(headers) }
    : undefined
}

/** Waits for the callback. A request without an answer rejects as before. */
export const observe = async (answer: Promise<Response>, onHead: (head: AnswerHead) => Promise<void>) => {
  try {
    const response = await answer
    const head = headOf(response)
    if (head !== undefined) await onHead(head)
    return response
  } catch (error) {
    const head = headOf(error)
    if (head !== undefined) await onHead(head)
    throw error
  }
}
