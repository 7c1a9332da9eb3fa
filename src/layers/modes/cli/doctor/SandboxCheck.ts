/** Whether commands can be held on this machine, and by what means. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { SettingsValues } from "../../../../services/Settings.ts"
import * as LocalProcesses from "../../../machine/processes/LocalProcesses.ts"
import * as Backends from "../../../machine/sandbox/Backends.ts"
import { type Check, ok, problem, warning } from "./Check.ts"

const words = ({ sandbox }: Pick<SettingsValues, "sandbox">) =>
  sandbox === "off" ? "off; --sandbox workspace-write turns it on" : `${sandbox}, from the settings`

export const check = (settings: Pick<SettingsValues, "sandbox">): Effect.Effect<Check> =>
  Effect.map(Effect.either(Backends.here(LocalProcesses.service)), (found) => {
    if (Either.isRight(found)) {
      const { instead, name, outside } = found.right
      const open = ["code of extensions", "host tools", ...outside].join(", ")
      const held = `${name} can hold commands and file tools, but not ${open} (${words(settings)})`
      if (instead === undefined) return ok("sandbox", held)
      const more = `${held}. The default of the terminal and --approvals auto need more: ${instead.reason}`
      return warning("sandbox", more, instead.fix)
    }
    const { fix, reason } = found.left
    const message = `commands cannot be held in a sandbox: ${reason}`
    return settings.sandbox === "off" ? warning("sandbox", message, fix) : problem("sandbox", message, fix)
  })
