/** What was decided about a call before it ran, in words. Pure. */
import type { Entry } from "./Entries.ts"
import { type JsonRecord, record, text } from "../text/Json.ts"

export const isApproval = ({ raw, type }: Entry): boolean =>
  type === "custom" && raw["customType"] === "heddle.approval"

const dataOf = ({ raw }: Entry): JsonRecord => record(raw["data"])

/** The call that it is about; empty if that is no call of the model. */
export const callOf = (entry: Entry): string => text(dataOf(entry)["toolCallId"])

export const isDenial = (entry: Entry): boolean => text(dataOf(entry)["decision"]) === "deny"

/** In a few words, for the head of the call. */
export const decisionOf = (entry: Entry): string => {
  const { decision, rule } = dataOf(entry)
  switch (text(decision)) {
    case "allow_once":
      return "Allowed once"
    case "allow_session":
      return "Allowed for this session"
    case "allow_rule":
      return `Allowed by rule ${text(rule)}`
    case "escalate":
      return "Run without the sandbox"
    default:
      return "Denied"
  }
}

const deciders: Readonly<Record<string, string>> = {
  host: "by the user",
  mirror: "by the user",
  policy: "by the policy",
  deadline: "because nobody answered in time",
  abort: "because it was aborted",
  disconnect: "because nobody could be asked"
}

/** The decision, who has made it, and why. */
export const words = (entry: Entry): string => {
  const { by, message, reason, subagentId, tool } = dataOf(entry)
  const whose = text(subagentId) === "" ? "" : `${text(subagentId)}, ${text(record(tool)["name"])}: `
  const why = [text(message), text(reason)].filter((part) => part !== "").join("; ")
  return `${whose}${decisionOf(entry)} ${deciders[text(by)] ?? ""}`.trimEnd() + (why === "" ? "" : ` (${why})`)
}
