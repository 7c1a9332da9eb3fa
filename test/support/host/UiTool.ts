/** A tool that calls any method of HostUi with the arguments that the model gives, and answers with what came back. */
import { Effect, Layer, Option } from "effect"
import type { JsonObject } from "../../../src/domain/conversation/Content.ts"
import { text } from "../../../src/domain/conversation/Content.ts"
import * as HostToolRegistry from "../../../src/layers/tools/host/HostToolRegistry.ts"
import type { HostTool } from "../../../src/services/host/HostTools.ts"
import { HostUi, type Ui } from "../../../src/services/host/HostUi.ts"

const words = (value: unknown): string => (typeof value === "string" ? value : "")
const list = (value: unknown): ReadonlyArray<string> => (Array.isArray(value) ? value.map(String) : [])

/** What a scenario may say about a question. */
const question = (args: JsonObject) => ({
  title: words(args["title"]),
  message: words(args["message"]),
  options: list(args["options"]),
  ...(typeof args["timeoutMs"] === "number" ? { timeoutMs: args["timeoutMs"] } : {}),
  ...(typeof args["placeholder"] === "string" ? { placeholder: args["placeholder"] } : {}),
  ...(typeof args["prefill"] === "string" ? { prefill: args["prefill"] } : {}),
  ...(args["promptStyle"] === true ? { promptStyle: true } : {}),
  ...(Array.isArray(args["details"])
    ? { details: list(args["details"]).map((said) => (said === "" ? {} : { description: said })) }
    : {})
})

const said = Effect.map((answer: Option.Option<string>) => Option.getOrElse(answer, () => "(default)"))

const methods: Readonly<Record<string, (ui: Ui, args: JsonObject) => Effect.Effect<unknown>>> = {
  select: (ui, args) => said(ui.select(question(args))),
  confirm: (ui, args) => ui.confirm(question(args)),
  input: (ui, args) => said(ui.input(question(args))),
  editor: (ui, args) => said(ui.editor(question(args))),
  notify: (ui, args) =>
    ui.notify({ message: words(args["message"]), ...(args["level"] === "warning" ? { level: "warning" } : {}) }),
  setStatus: (ui, { key, text: status }) =>
    typeof status === "string" ? ui.setStatus(words(key), status) : ui.setStatus(words(key)),
  setWidget: (ui, { key, lines }) =>
    ui.setWidget({
      key: words(key),
      ...(Array.isArray(lines) ? { lines: list(lines), placement: "belowEditor" } : {})
    }),
  setTitle: (ui, { title }) => ui.setTitle(words(title)),
  setEditorText: (ui, { text: draft }) => ui.setEditorText(words(draft))
}

const make = (ui: Ui): HostTool => ({
  name: "ui",
  description: "Calls a method of the user interface.",
  parameters: { type: "object" },
  call: (args) => {
    const method = methods[words(args["method"])]
    if (method === undefined) return Effect.dieMessage(`no such method: ${words(args["method"])}`)
    return Effect.map(method(ui, args), (answer) => ({ content: [text(`answer: ${String(answer)}`)] }))
  }
})

/** The tools of a host that has none of its own. */
export const layer = (isThere: boolean) =>
  isThere
    ? Layer.unwrapEffect(Effect.map(HostUi, (ui) => Layer.orDie(HostToolRegistry.layerOf([make(ui)]))))
    : HostToolRegistry.layer
