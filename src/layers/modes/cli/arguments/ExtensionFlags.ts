/** Options of the command line that only extensions know: judged when those are loaded. */
import * as Schema from "effect/Schema"
import type { FlagDefinition } from "../../../pi/instance/Instance.ts"

/** An unknown option, or one that was given in a way in which it has no meaning. */
export class OptionRefused extends Schema.TaggedError<OptionRefused>()("OptionRefused", { message: Schema.String }) {}

type Value = string | true

const problemOf = (name: string, value: Value, flag: Pick<FlagDefinition, "type"> | undefined): string | undefined => {
  if (flag === undefined) return `unknown option, or an option without its value: --${name} (see --help)`
  if (flag.type === "string") return value === true ? `--${name} needs a value` : undefined
  return value === true || value === "true" || value === "false" ? undefined : `--${name} takes no value: ${value}`
}

/** The first of the options that cannot be used. */
export const check = (
  given: ReadonlyMap<string, Value>,
  claimed: ReadonlyMap<string, Pick<FlagDefinition, "type">>
): OptionRefused | undefined => {
  for (const [name, value] of given) {
    const message = problemOf(name, value, claimed.get(name))
    if (message !== undefined) return new OptionRefused({ message })
  }
  return undefined
}
