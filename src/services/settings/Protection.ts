/** Settings of the sandbox (docs/sandbox.md). They protect the user: a project can only make them stricter. */
import * as Schema from "effect/Schema"
import { SandboxSetting } from "../machine/Sandbox.ts"
import { optionalSetting, setting, texts } from "./Setting.ts"

const paths = Schema.Array(Schema.NonEmptyString)

export const fields = {
  sandbox: setting(
    SandboxSetting,
    "What commands and file tools are held to; heddle does not start where it cannot be held.",
    {
      default: "off",
      project: "stricter"
    }
  ),
  network: optionalSetting(
    Schema.Literal("on", "off"),
    "Whether commands in the sandbox reach the network; off if unset. Without a sandbox it has no effect.",
    { project: "stricter" }
  ),
  "sandbox.writable": setting(paths, "More folders that commands and file tools may write, with `workspace-write`.", {
    default: [],
    project: "nothing"
  }),
  "sandbox.hidden": setting(paths, "More files and folders that are invisible in the sandbox.", {
    default: [],
    project: "more"
  }),
  "sandbox.env": setting(
    texts,
    "Names of variables that commands in the sandbox get although they look like secrets.",
    {
      default: [],
      project: "nothing"
    }
  ),
  "sandbox.tmpBytes": setting(
    Schema.Int.pipe(Schema.between(1024 * 1024, 2 ** 40)),
    "How large each private temporary folder of a command in the sandbox may become, in bytes.",
    { default: 256 * 1024 * 1024, project: "nothing" }
  )
}
