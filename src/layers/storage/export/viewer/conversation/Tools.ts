/** A tool call with its result: one line that says what was done, and the details inside. */
import * as Approvals from "./Approvals.ts"
import * as Calls from "./Calls.ts"
import { codePart } from "../text/Code.ts"
import * as Diff from "../text/Diff.ts"
import { diffPart } from "../text/DiffView.ts"
import { breakable, type Child, h } from "../Dom.ts"
import type { Entry } from "./Entries.ts"
import * as Format from "../text/Format.ts"
import { languageOf } from "../text/Highlight.ts"
import { images } from "./Images.ts"
import { type JsonRecord, show } from "../text/Json.ts"
import * as Parts from "../Parts.ts"
import * as Tasks from "./Tasks.ts"

/** A label that names a file is found by a search. */
const pathLabel = (path: string) =>
  Parts.leaf(
    () => path,
    () => h("h4", {}, ...breakable(path))
  )

const labelled = (label: string) => Parts.decoration(() => h("h4", {}, label))

const section = (...parts: ReadonlyArray<Parts.Part>) =>
  Parts.group(
    () => parts,
    (inner) => h("section", { class: "tool-part" }, ...inner)
  )

const outputOf = (call: Calls.Call, language?: string) =>
  call.output === ""
    ? section(
        labelled("Output"),
        Parts.decoration(() =>
          h("p", { class: "empty" }, call.answer === undefined ? "No result was recorded." : "No output.")
        )
      )
    : section(labelled("Output"), codePart(call.output, { label: `Output of ${call.name}`, language }))

/** The head of the card already shows a single short argument. */
const isSaid = (call: Calls.Call) =>
  Object.keys(call.args).length === 1 && Calls.preview(call) === Object.values(call.args)[0]

/** A tool that writes files reports success in one line at most. */
const remark = (call: Calls.Call) =>
  !Calls.failed(call) && call.output.length < 200 && !call.output.includes("\n")
    ? Parts.leaf(
        () => call.output,
        () => h("p", { class: "remark" }, call.output)
      )
    : outputOf(call)

const asked = (call: Calls.Call) =>
  Object.keys(call.args).length === 0 || isSaid(call)
    ? []
    : [section(labelled("Arguments"), codePart(show(call.args), { label: "Arguments", language: "json" }))]

const showsCommand = ({ args }: Calls.Call) => typeof args["command"] === "string"

const body = (call: Calls.Call, diff: ReadonlyArray<Diff.DiffLine>): ReadonlyArray<Parts.Part> => {
  const { answer, args, name } = call
  const path = Calls.pathOf(args)
  const language = languageOf(path)
  const pictures = images(answer?.["content"])
  if (Tasks.isTasks(call)) return [...Tasks.body(call), ...pictures]
  if (diff.length > 0) {
    return [
      section(path === "" ? labelled("Changes") : pathLabel(path), diffPart(diff, language)),
      remark(call),
      ...pictures
    ]
  }
  if (showsCommand(call)) {
    const command = codePart(show(args["command"]), { label: "Command", language: "bash" })
    return [section(labelled("Command"), command), outputOf(call), ...pictures]
  }
  if (name === "write" && typeof args["content"] === "string") {
    const content = codePart(args["content"], { label: "Content", language })
    return [section(pathLabel(path), content), remark(call), ...pictures]
  }
  return [...asked(call), outputOf(call, name === "read" ? language : undefined), ...pictures]
}

const outcome = (call: Calls.Call, diff: ReadonlyArray<Diff.DiffLine>): ReadonlyArray<Child> => {
  if (Tasks.isTasks(call)) return Tasks.outcome(call)
  if (call.answer === undefined) return [h("span", { class: "badge" }, "no result")]
  if (Calls.failed(call)) return [h("span", { class: "badge bad" }, "failed")]
  if (diff.length > 0) {
    const { added, removed } = Diff.changes(diff)
    return [h("span", { class: "plus" }, `+${added}`), h("span", { class: "minus" }, `−${removed}`)]
  }
  return [call.output === "" ? undefined : h("span", {}, Format.lines(call.output))]
}

/** A search finds the argument here only if the body does not repeat it. */
const argument = (call: Calls.Call) => {
  const preview = Calls.preview(call)
  const make = () => h("span", { class: "tool-preview", dir: "auto" }, preview)
  return isSaid(call) && !showsCommand(call) ? Parts.leaf(() => preview, make) : Parts.decoration(make)
}

/** Longer changes are closed at first. */
const longestOpenDiff = 200

const decided = (entry: Entry) =>
  Parts.leaf(
    () => Approvals.words(entry),
    () => h("p", { class: "remark" }, Approvals.words(entry))
  )

const badge = (entry: Entry) =>
  h("span", { class: Approvals.isDenial(entry) ? "badge bad" : "badge" }, Approvals.decisionOf(entry))

const card = (call: Calls.Call, approvals: ReadonlyArray<Entry> = []): Parts.Part => {
  const diff = Parts.once(() => Calls.diffOf(call))
  const state = call.answer === undefined ? "open" : Calls.failed(call) ? "bad" : "good"
  return Parts.fold({
    class: `tool ${state}`,
    open: diff().length > 0 && diff().length <= longestOpenDiff,
    head: [
      Parts.text(call.name || "tool", "tool-name"),
      argument(call),
      Parts.decoration(() => h("span", { class: "tool-outcome" }, ...approvals.map(badge), ...outcome(call, diff())))
    ],
    body: () => [...approvals.map(decided), ...body(call, diff())]
  })
}

export const toolCall = (block: JsonRecord, result: Entry | undefined, approvals?: ReadonlyArray<Entry>): Parts.Part =>
  card(Calls.make(block, result), approvals)

export const toolResult = (entry: Entry): Parts.Part => card(Calls.ofResult(entry))
