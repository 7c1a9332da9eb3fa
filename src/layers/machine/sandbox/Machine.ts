/** The machine as the settings want it. Code of the sandbox is loaded only for one. */
import * as Effect from "effect/Effect"
import { defined } from "../../../domain/Values.ts"
import { SandboxRefused } from "../../../services/machine/Sandbox.ts"
import { Settings, type SettingsValues } from "../../../services/Settings.ts"
import * as LocalFiles from "../files/LocalFiles.ts"
import * as LocalProcesses from "../processes/LocalProcesses.ts"
import * as SessionFolders from "../../storage/sessions/SessionFolders.ts"
import { isInitial, type Origin } from "../../workspace/settings/SettingsMerge.ts"

export interface MachineOptions {
  readonly agentDir: string
  readonly cwd: string
  readonly overrides: Readonly<Record<string, unknown>>
  readonly session: { readonly sessionDir?: string }
}

interface Found {
  readonly settings: SettingsValues
  readonly origins: ReadonlyMap<string, Origin>
}

const machine = { files: LocalFiles.service, processes: LocalProcesses.service }

const confined = Effect.fnUntraced(function* (
  { agentDir, cwd, session }: MachineOptions,
  settings: SettingsValues,
  mode: Exclude<SettingsValues["sandbox"], "off">,
  whole: boolean
) {
  const Confinement = yield* Effect.promise(() => import("./Confinement.ts"))
  const located = SessionFolders.locate({ agentDir, cwd, ...defined({ sessionDir: session.sessionDir }) })
  const { sessionDir } = yield* Effect.provideService(located, Settings, settings)
  const asked = {
    mode,
    cwd,
    agentDir,
    sessionDir,
    network: settings.network === "on" ? ("open" as const) : ("off" as const),
    writable: settings["sandbox.writable"],
    hidden: settings["sandbox.hidden"],
    env: settings["sandbox.env"],
    tmpBytes: settings["sandbox.tmpBytes"],
    whole
  }
  return { ...(yield* Confinement.make(asked, machine)), settings, unheld: undefined }
})

/** Nobody has asked for this sandbox, and it cannot be had: what it would hold is asked about. */
const instead = (settings: SettingsValues, { message }: Error) => {
  const { "approvals.unasked": unasked } = settings
  const passing = unasked === "sandboxed" ? ("harmless" as const) : unasked
  return {
    ...machine,
    sandbox: undefined,
    settings: { ...settings, sandbox: "off" as const, "approvals.unasked": passing },
    unheld: message.split("\n", 1).join("")
  }
}

/** Fails where a sandbox that somebody wants cannot be had. */
export const make = Effect.fnUntraced(function* (options: MachineOptions, { origins, settings }: Found) {
  const { sandbox: mode } = settings
  if (mode === "off") {
    if (options.overrides["network"] !== "off") return { ...machine, sandbox: undefined, settings, unheld: undefined }
    return yield* new SandboxRefused({
      message: "--network off needs a sandbox, which holds the network: add --sandbox workspace-write"
    })
  }
  const isUnasked = isInitial(origins.get("sandbox"))
  // Where approvals rely on it, commands run in it that somebody would be asked about otherwise.
  const whole = isUnasked || settings["approvals.unasked"] === "sandboxed"
  const made = confined(options, settings, mode, whole)
  if (!isUnasked) return yield* made
  return yield* Effect.catchTags(made, {
    SandboxRefused: (error) => Effect.succeed(instead(settings, error)),
    SandboxUnavailable: (error) => Effect.succeed(instead(settings, error))
  })
})
