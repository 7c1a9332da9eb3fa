/** Options of the command line that an extension defines. */
import { defined } from "../../../../domain/Values.ts"
import type { FlagDefinition, Instance } from "../Instance.ts"
import { textIn, wantRecord, wantText } from "../Values.ts"

const flagOf = (name: string, given: unknown): FlagDefinition => {
  const definition = wantRecord(given, `registerFlag: the options of ${name}`)
  const { default: preset, type } = definition
  if (type !== "boolean" && type !== "string") {
    throw new TypeError(`registerFlag: the type of ${name} must be "boolean" or "string"`)
  }
  return {
    type,
    ...defined({ description: textIn(definition, "description") }),
    ...(typeof preset === type && (typeof preset === "boolean" || typeof preset === "string")
      ? { default: preset }
      : {})
  }
}

/** A text option without its text counts as not given: the reader of the claimed flags judges the command line. */
const valueOf = ({ default: preset, type }: FlagDefinition, given: string | true | undefined) => {
  if (given === undefined) return preset
  if (type === "boolean") return given === true || given !== "false"
  return given === true ? preset : given
}

export const make = ({ count, flags, needLive, ports }: Instance) => ({
  registerFlag: (given: unknown, definition: unknown) => {
    needLive()
    const name = wantText(given, "registerFlag: name").replace(/^--/, "")
    count("registerFlag")
    flags.set(name, flagOf(name, definition))
  },
  /** Undefined for flags of other extensions. */
  getFlag: (given: unknown) => {
    needLive()
    const name = wantText(given, "getFlag: name").replace(/^--/, "")
    const flag = flags.get(name)
    return flag === undefined ? undefined : valueOf(flag, ports.flags.unknown.get(name))
  }
})
