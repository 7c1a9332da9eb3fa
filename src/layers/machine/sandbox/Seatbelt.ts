/**
 * The same policy as a profile for sandbox-exec of macOS. Later rules win over earlier ones. Processes are not in a room of their
 * own there, and temporary folders are those of the machine. Pure; nobody has run it.
 */
import type { Environment } from "../../../services/machine/Processes.ts"
import { type Policy, temporary } from "./Policy.ts"

const quoted = (path: string) => `"${path.replaceAll(/["\\]/g, "\\$&")}"`

const below = (paths: ReadonlyArray<string>) => paths.map((path) => `(subpath ${quoted(path)})`).join(" ")

const rule = (action: "allow" | "deny", what: string, paths: ReadonlyArray<string>) =>
  paths.length === 0 ? [] : [`(${action} ${what} ${below(paths)})`]

/** Programs of macOS write to these, and expect to. */
const devices = ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/dtracehelper"]
  .map((path) => `(literal ${quoted(path)})`)
  .join(" ")

const ofMac = [...temporary, "/private/tmp", "/private/var/tmp"]

export const profile = ({ absent, hidden, kept, network, writable }: Policy): string =>
  [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    `(allow file-write* ${devices})`,
    ...rule("allow", "file-write*", [...ofMac, ...writable]),
    ...rule("deny", "file-write*", [...kept, ...absent]),
    ...rule(
      "deny",
      "file-read* file-write*",
      hidden.map(({ path }) => path)
    ),
    // A process outside must not get signals, and none may be looked into.
    "(deny signal)",
    "(allow signal (target same-sandbox))",
    "(deny process-info*)",
    "(allow process-info* (target same-sandbox))",
    "(deny mach-priv-task-port)",
    // Sockets by path lead to services outside, whatever the network is.
    "(deny network-outbound (remote unix-socket))",
    ...(network === "off" ? ["(deny network*)"] : [])
  ].join("\n")

export const words = (program: string, policy: Policy, variables: Environment): ReadonlyArray<string> => {
  const assigned = Object.entries(variables).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`]
  )
  return [program, "-p", profile(policy), "/usr/bin/env", ...assigned]
}
