/** Why host tools were not registered. A file of its own, because a start does not load it. */
import * as Schema from "effect/Schema"
import { optional } from "../../domain/conversation/Content.ts"

/** Two of the tools have one name, one has the name of a tool that exists, or a schema that cannot be used. */
export class HostToolRefused extends Schema.TaggedError<HostToolRefused>()("HostToolRefused", {
  reason: Schema.Literal("duplicate", "conflict", "parameters"),
  name: Schema.String,
  detail: optional(Schema.String)
}) {
  override get message() {
    switch (this.reason) {
      case "duplicate":
        return `Host tool names must be unique: ${this.name}`
      case "conflict":
        return `Host tool "${this.name}" conflicts with an existing tool`
      case "parameters":
        return `Host tool "${this.name}" has a JSON Schema that cannot be used: ${this.detail ?? ""}`
    }
  }
}
