/** Settings of todos and of stream rules (protocol.md 12, 13). */
import * as Schema from "effect/Schema"
import { count, flag, setting } from "./Setting.ts"

export const fields = {
  "todo.enabled": flag(true, "Whether the model keeps a todo list with the tool `todo_write`.", "free", "reset"),
  "todo.reminders": flag(true, "Whether a model that stops with open todos is reminded of them.", "reset"),
  "todo.reminders.max": setting(
    Schema.Int.pipe(Schema.between(0, 100)),
    "How many times a model is reminded after one prompt.",
    { default: 3, reset: true }
  ),
  "todo.eager": flag(false, "Whether the model has to make a todo list at the first prompt.", "reset"),
  "tasks.todoClearDelay": setting(
    Schema.Finite,
    "Seconds until a finished todo leaves the list: 0 is at once, and a negative number never.",
    { default: 60, free: true }
  ),
  "ttsr.enabled": flag(true, "Whether stream rules watch what the model writes."),
  "ttsr.contextMode": setting(
    Schema.Literal("discard", "keep"),
    "Whether the message that a rule cut off leaves the context or stays in it.",
    { default: "discard" }
  ),
  "ttsr.interruptMode": setting(
    Schema.Literal("always", "prose-only", "tool-only", "never"),
    "Where a rule may interrupt the model; elsewhere its text follows the message.",
    { default: "always" }
  ),
  "ttsr.repeatMode": setting(
    Schema.Literal("once", "after-gap"),
    "Whether a rule fires once in a session, or again after `ttsr.repeatGap`.",
    { default: "once" }
  ),
  "ttsr.repeatGap": setting(count, "How many turns must be completed before a rule fires again.", { default: 10 })
}
