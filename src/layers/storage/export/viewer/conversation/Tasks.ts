/** The tool `task`: one card for each task of a call, with its agent, its status, its output and its verification. */
import * as Calls from "./Calls.ts"
import { codePart } from "../text/Code.ts"
import { breakable, type Child, h } from "../Dom.ts"
import * as Format from "../text/Format.ts"
import { type JsonRecord, number, record, records, show, text } from "../text/Json.ts"
import { prosePart } from "../text/Markdown.ts"
import * as Parts from "../Parts.ts"
import { verification, verificationBadge } from "./Verification.ts"

/** Longer output is closed at first. */
const longestOpen = 1200

export const resultsOf = ({ answer }: Calls.Call): ReadonlyArray<JsonRecord> =>
  records(record(answer?.["details"])["results"])

export const isTasks = (call: Calls.Call): boolean =>
  call.name === "task" && (resultsOf(call).length > 0 || records(call.args["tasks"]).length > 0)

type Status = "completed" | "failed" | "aborted" | "no result"

const statusOf = (task: JsonRecord): Status => {
  if (task["aborted"] === true) return "aborted"
  if (typeof task["exitCode"] !== "number") return "no result"
  return task["exitCode"] === 0 ? "completed" : "failed"
}

const statusClass: Readonly<Record<Status, string>> = {
  completed: "badge good",
  failed: "badge bad",
  aborted: "badge",
  "no result": "badge"
}

export const outcome = (call: Calls.Call): ReadonlyArray<Child> => {
  const results = resultsOf(call)
  if (call.answer === undefined) return [h("span", { class: "badge" }, "no result")]
  if (results.length === 0) return [h("span", { class: "badge bad" }, "failed")]
  const good = results.filter((task) => statusOf(task) === "completed").length
  const summary = `${good} of ${results.length} completed`
  return [h("span", { class: good === results.length ? "" : "badge bad" }, summary)]
}

const spent = (task: JsonRecord): string => {
  const usage = record(task["usage"])
  const cost = number(record(usage["cost"])["total"])
  const tokens = number(task["tokens"]) || number(usage["totalTokens"])
  const millis = number(task["durationMs"])
  return [
    millis > 0 ? Format.duration(millis) : "",
    tokens > 0 ? `${Format.compact(tokens)} tokens` : "",
    cost > 0 ? Format.money(cost) : ""
  ]
    .filter((part) => part !== "")
    .join(" · ")
}

const head = (task: JsonRecord, agent: string): Parts.Part => {
  const status = statusOf(task)
  const checked = verificationBadge(record(task["verification"]))
  return Parts.group(
    () => [
      Parts.text(text(task["id"]) || "task", "task-id"),
      Parts.text(text(task["agent"]) || agent, "task-agent"),
      Parts.decoration(() => h("span", { class: statusClass[status] }, status)),
      ...(checked === undefined ? [] : [Parts.decoration(() => checked)]),
      Parts.decoration(() => h("span", { class: "task-spent" }, spent(task))),
      Parts.text(text(task["description"]), "task-about")
    ],
    (inner) => h("header", { class: "task-head" }, ...inner)
  )
}

const failure = (task: JsonRecord): ReadonlyArray<Parts.Part> => {
  const words = text(task["error"]) || text(task["abortReason"]) || text(task["stderr"]).trim()
  if (words === "" || statusOf(task) === "completed") return []
  return [
    Parts.leaf(
      () => words,
      () => h("div", { class: `callout ${statusOf(task) === "failed" ? "bad" : "quiet"}` }, h("span", {}, words))
    )
  ]
}

const closed = (title: string, about: string, body: () => ReadonlyArray<Parts.Part>) =>
  Parts.fold({
    class: "quiet-fold",
    head: [Parts.decoration(() => h("span", { class: "fold-title" }, title)), Parts.hint(about)],
    body
  })

const assignment = (task: JsonRecord): ReadonlyArray<Parts.Part> => {
  const words = text(task["assignment"]) || text(task["task"])
  return words === "" ? [] : [closed("Assignment", Format.gist(words, 110), () => [prosePart(words)])]
}

const output = (task: JsonRecord): ReadonlyArray<Parts.Part> => {
  const words = text(task["output"])
  if (words.trim() === "") {
    return statusOf(task) === "no result" ? [] : [Parts.decoration(() => h("p", { class: "empty" }, "No output."))]
  }
  const cut = task["truncated"] === true ? ", cut off" : ""
  return words.length <= longestOpen
    ? [prosePart(words)]
    : [closed("Output", `${Format.lines(words)}${cut}: ${Format.gist(words, 110)}`, () => [prosePart(words)])]
}

const data = (task: JsonRecord): ReadonlyArray<Parts.Part> => {
  if (task["data"] === undefined) return []
  const shown = show(task["data"])
  return [closed("Data", Format.excerpt(shown, 90), () => [codePart(shown, { label: "Data", language: "json" })])]
}

const files = { outputPath: "Output", patchPath: "Patch", branchName: "Branch" } as const

const kept = (task: JsonRecord): ReadonlyArray<Parts.Part> =>
  Object.entries(files).flatMap(([key, label]) => {
    const where = text(task[key])
    return where === ""
      ? []
      : [
          Parts.group(
            () => [
              Parts.leaf(
                () => where,
                () => h("span", { class: "task-file" }, ...breakable(where))
              )
            ],
            (inner) => h("p", { class: "remark" }, `${label}: `, ...inner)
          )
        ]
  })

const card = (task: JsonRecord, agent: string) =>
  Parts.group(
    () => [
      head(task, agent),
      ...failure(task),
      ...output(task),
      ...data(task),
      ...verification(record(task["verification"])),
      ...assignment(task),
      ...kept(task)
    ],
    (inner) => h("article", { class: `task ${statusOf(task).replace(" ", "-")}` }, ...inner)
  )

const context = (words: string): ReadonlyArray<Parts.Part> =>
  words === "" ? [] : [closed("Context of all tasks", Format.gist(words, 90), () => [prosePart(words)])]

/** The text that the model read repeats the results, so it is closed unless it is all there is. */
const report = (call: Calls.Call): ReadonlyArray<Parts.Part> => {
  if (call.output === "") return []
  const shown = codePart(call.output, { label: "Report to the model" })
  return resultsOf(call).length === 0
    ? [shown]
    : [closed("Report to the model", Format.lines(call.output), () => [shown])]
}

export const body = (call: Calls.Call): ReadonlyArray<Parts.Part> => {
  const results = resultsOf(call)
  const tasks = results.length > 0 ? results : records(call.args["tasks"])
  const agent = text(call.args["agent"])
  return [...context(text(call.args["context"])), ...tasks.map((task) => card(task, agent)), ...report(call)]
}
