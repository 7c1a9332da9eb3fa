/** Which session events a host wants to see, and in which form (supplement 1.3, 3.1). */

export interface EventFilter {
  /** The types to send; null means all of them. */
  readonly events: ReadonlySet<string> | null
  /** The form of updates; absent where the filter leaves it to what the host has asked for otherwise. */
  readonly form?: "full" | "role" | "none"
}

/** Frames that cannot be switched off: hosts wait for some of them, others are questions, or no session events at all. */
const always =
  /^(?:ready|startup|error|prompt_result|session_settled|available_commands_update|(?:extension|host|approval|subagent)_.*)$/

export const make = (events: ReadonlyArray<string> | null, updates?: "full" | "delta"): EventFilter => {
  const types = events === null ? null : new Set(events)
  if (types !== null && !types.has("message_update")) return { events: types, form: "none" }
  if (updates === undefined) return { events: types }
  return { events: types, form: updates === "delta" ? "role" : "full" }
}

/** The same events in the form that the host has asked for otherwise. */
export const withoutForm = ({ events, form }: EventFilter): EventFilter =>
  form === "none" ? { events, form } : { events }

export const hides = ({ events }: EventFilter, frame: object): boolean => {
  const type = "type" in frame ? frame.type : undefined
  return events !== null && typeof type === "string" && !events.has(type) && !always.test(type)
}
