/** Why host tools were not registered. A file of its own, because a start does not load it. */
import * as Schema from "effect/Schema"

/** Two of the tools have one name, or one has the name of a tool that exists. */
export class HostToolRefused extends Schema.TaggedError<HostToolRefused>()("HostToolRefused", {
  reason: Schema.Literal("duplicate", "conflict"),
  name: Schema.String
}) {
  override get message() {
    return this.reason === "duplicate"
      ? `Host tool names must be unique: ${this.name}`
      : `Host tool "${this.name}" conflicts with an existing tool`
  }
}
