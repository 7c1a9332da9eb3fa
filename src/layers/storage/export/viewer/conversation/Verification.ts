/** The verification of a task: its attempts, and the commands of each. */
import { codePart } from "../text/Code.ts"
import { h } from "../Dom.ts"
import * as Format from "../text/Format.ts"
import { type JsonRecord, number, records, text } from "../text/Json.ts"
import * as Parts from "../Parts.ts"

const wasAskedFor = (result: JsonRecord) => text(result["status"]) !== "" && result["status"] !== "not_requested"

export const verificationBadge = (result: JsonRecord): HTMLElement | undefined => {
  if (!wasAskedFor(result)) return undefined
  const status = text(result["status"])
  const kind = status === "passed" ? "good" : status === "failed" ? "bad" : ""
  const repaired = status === "passed" && number(result["retriesUsed"]) > 0 ? " after a repair" : ""
  return h("span", { class: `badge ${kind}` }, `verification ${status}${repaired}`)
}

const ending = (command: JsonRecord): string => {
  const code = number(command["exitCode"])
  const outcome = command["timedOut"] === true ? "timed out" : code === 0 ? "passed" : `exit code ${code}`
  return `${outcome}${command["optional"] === true ? ", optional" : ""} · ${Format.duration(number(command["durationMs"]))}`
}

const commandOf = (command: JsonRecord): ReadonlyArray<Parts.Part> => {
  const preview = text(command["outputPreview"])
  const isBad = number(command["exitCode"]) !== 0
  return [
    Parts.group(
      () => [
        Parts.text(text(command["name"]), "check-name"),
        Parts.text(text(command["command"]), "check-command"),
        Parts.decoration(() => h("span", { class: isBad ? "check-end minus" : "check-end" }, ending(command)))
      ],
      (inner) => h("p", { class: "check" }, ...inner)
    ),
    ...(preview.trim() === "" ? [] : [codePart(preview, { label: `Output of ${text(command["name"])}` })])
  ]
}

const attemptOf = (attempt: JsonRecord): ReadonlyArray<Parts.Part> => {
  const error = text(attempt["error"])
  const status = text(attempt["status"]).replaceAll("_", " ")
  return [
    Parts.decoration(() => h("h4", {}, `Attempt ${number(attempt["attempt"])}: ${status}`)),
    ...(error === ""
      ? []
      : [
          Parts.leaf(
            () => error,
            () => h("p", { class: "remark" }, error)
          )
        ]),
    ...records(attempt["commandResults"]).flatMap(commandOf)
  ]
}

export const verification = (result: JsonRecord): ReadonlyArray<Parts.Part> => {
  const attempts = records(result["attempts"])
  if (!wasAskedFor(result) || attempts.length === 0) return []
  const checks = attempts.reduce((sum, attempt) => sum + records(attempt["commandResults"]).length, 0)
  const about = `${Format.plural(attempts.length, "attempt")}, ${Format.plural(checks, "check")}`
  return [
    Parts.fold({
      class: "quiet-fold verification",
      head: [Parts.decoration(() => h("span", { class: "fold-title" }, "Verification")), Parts.hint(about)],
      body: () => attempts.flatMap(attemptOf)
    })
  ]
}
