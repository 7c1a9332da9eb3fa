/** `heddle auth set|list|remove`. */
import { type Given, invalid } from "../arguments/OptionTable.ts"
import * as Keys from "./Keys.ts"

const actions = new Map([
  ["set", Keys.set],
  ["remove", Keys.remove]
])

/** A surplus word may be a key, so it is never printed. */
export const run = ({ messages: [name = "", provider, ...more] }: Given) => {
  if (name === "list" && provider === undefined) return Keys.list
  const act = actions.get(name)
  if (act === undefined) return invalid("expected: heddle auth set|list|remove (see heddle help auth)")
  if (provider !== undefined && more.length === 0) return act(provider)
  return invalid(
    `expected: heddle auth ${name} <provider>. A key is read from stdin or asked for, never from the command line.`
  )
}
