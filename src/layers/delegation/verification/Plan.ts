/** What the `verify` of a task means: the profile it names, and what it says itself over that (protocol.md 14.5). */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { optional } from "../../../domain/conversation/Content.ts"
import { explain } from "../../../domain/Values.ts"
import type { SettingsValues } from "../../../services/Settings.ts"
import { VerificationProfile } from "../../../services/settings/Tasks.ts"
import { type VerificationPlan, VerificationRefused } from "../../../services/delegation/Verification.ts"

/** As models write it. */
const Inline = Schema.Struct({ profile: optional(Schema.String), ...VerificationProfile.fields })
type Inline = typeof Inline.Type

export type Planned = Either.Either<VerificationPlan | undefined, VerificationRefused>

const refused = (message: string) => Either.left(new VerificationRefused({ message }))

const texts = {
  notIsolated: "Verification requires isolated task execution. Pass isolated: true or disable verify.",
  nothing: "Verification requested but no verification profile or commands were provided.",
  unknown: (profile: string) => `Unknown or invalid verification profile "${profile}".`,
  noCommands:
    "Verification requires at least one command. Pass commands in verify, or name a profile that has some in task.verification.profiles.",
  lsp: 'LSP-based task verification is not implemented yet. Use mode "command" with commands, or disable verify.',
  shape: "Invalid verify: expected true, false, the name of a profile, or an object."
}

const decode = (verify: unknown): Either.Either<Inline | false, VerificationRefused> => {
  if (verify === false) return Either.right(false)
  if (verify === true) return Either.right({ profile: "" })
  if (typeof verify === "string") return Either.right({ profile: verify })
  if (typeof verify !== "object" || verify === null || Array.isArray(verify)) return refused(texts.shape)
  return Either.mapLeft(
    Schema.decodeUnknownEither(Inline, { errors: "all" })(verify),
    (error) => new VerificationRefused({ message: `Invalid verify: ${explain(error)}` })
  )
}

/** Tasks that say nothing are verified where the settings want that of isolated ones. */
const wanted = (verify: unknown, isolated: boolean, settings: SettingsValues): unknown =>
  verify ?? (isolated && settings["task.verification.enabled"] && settings["task.verification.requireForIsolated"])

const merge = (inline: Inline, isolated: boolean, settings: SettingsValues): Planned => {
  const profiles = settings["task.verification.profiles"]
  // An object that names no profile stands alone.
  const name = inline.profile === "" ? settings["task.verification.defaultProfile"] : (inline.profile ?? "")
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  const { commands, maxRetries, mode, onFailure } = { ...profile, ...inline }
  if (mode === "none") return Either.right(undefined)
  if (!isolated) return refused(texts.notIsolated)
  if (name !== "" && profile === undefined) return refused(texts.unknown(name))
  if (mode === "lsp") return refused(texts.lsp)
  if (name === "" && commands === undefined) return refused(texts.nothing)
  if (commands === undefined || commands.length === 0) return refused(texts.noCommands)
  return Either.right({
    ...(name === "" ? {} : { profile: name }),
    commands,
    maxRetries: maxRetries ?? settings["task.verification.maxRetries"],
    onFailure: onFailure ?? "return_failure",
    failureContextLineLimit: settings["task.verification.failureContextLineLimit"]
  })
}

export const resolve = (verify: unknown, isolated: boolean, settings: SettingsValues): Planned =>
  Either.flatMap(decode(wanted(verify, isolated, settings)), (inline) =>
    inline === false ? Either.right(undefined) : merge(inline, isolated, settings)
  )
