/** Schemas of the frames of dialogs. */
import * as Schema from "effect/Schema"
import { lenient, optional } from "../../domain/conversation/Content.ts"

/** A reply of the host, of whatever kind. A question that does not find its answer in it counts as cancelled. */
export const Reply = Schema.Struct({
  type: Schema.Literal("extension_ui_response"),
  id: Schema.String,
  value: lenient(Schema.String),
  confirmed: lenient(Schema.Boolean),
  cancelled: lenient(Schema.Boolean),
  timedOut: lenient(Schema.Boolean)
})
export type Reply = typeof Reply.Type

export const hostFrames = [
  {
    type: "extension_ui_response",
    summary:
      "The answer to an `extension_ui_request`: `value` for `select`, `input` and `editor`, `confirmed` for `confirm`, or `cancelled`. An answer of the wrong kind counts as cancelled; `timedOut` says that the host did not wait any longer.",
    schema: Reply
  }
] as const

/** The members of all methods. */
export const requestFields = {
  id: Schema.String,
  method: Schema.Literal(
    "select",
    "confirm",
    "input",
    "editor",
    "cancel",
    "notify",
    "setStatus",
    "setWidget",
    "setTitle",
    "set_editor_text"
  ),
  title: optional(Schema.String),
  options: optional(Schema.Array(Schema.String)),
  optionDetails: optional(Schema.Array(Schema.Struct({ description: optional(Schema.String) }))),
  message: optional(Schema.String),
  placeholder: optional(Schema.String),
  prefill: optional(Schema.String),
  promptStyle: optional(Schema.Boolean),
  timeout: optional(Schema.Int),
  targetId: optional(Schema.String),
  notifyType: optional(Schema.Literal("info", "warning", "error")),
  statusKey: optional(Schema.String),
  statusText: optional(Schema.String),
  widgetKey: optional(Schema.String),
  widgetLines: optional(Schema.Array(Schema.String)),
  widgetPlacement: optional(Schema.Literal("aboveEditor", "belowEditor")),
  text: optional(Schema.String),
  approvalId: optional(Schema.String, "The `approval_request` that the question is the mirror of.")
}
