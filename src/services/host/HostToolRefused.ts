/** Why host tools were not registered. Apart from the contract, because a start needs that one and not this. */
import * as Schema from "effect/Schema"

/** Two tools of one name, or one that has the name of another tool. */
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
