/** Which variables of the environment a sandboxed command gets. Pure. */
import type { Environment } from "../../../services/machine/Processes.ts"

/** The last word of the name of a secret. */
const secret = /(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)$/

/** They lead to services outside: agents that sign, buses, engines of containers. */
const ways =
  /^(SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_AGENT_INFO|XAUTHORITY|WAYLAND_DISPLAY|DISPLAY|KUBECONFIG)$|^(DBUS_|DOCKER_)/

/** They lead git to another repository, or to programs that it runs. */
const ofGit =
  /^GIT_(DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|CONFIG.*|SSH.*|EXEC_PATH|TEMPLATE_DIR|EXTERNAL_DIFF|ASKPASS|PROXY_COMMAND|CEILING_DIRECTORIES|SHALLOW_FILE|REPLACE_REF_BASE|TRACE.*)$/

/** Folders for temporary files are private, and always the same. */
const temporary = new Set(["TMPDIR", "TMP", "TEMP"])

export const passes = (name: string): boolean => {
  const upper = name.toUpperCase()
  return !secret.test(upper) && !ways.test(upper) && !ofGit.test(upper) && !temporary.has(upper)
}

/** `allowed` are names that pass all the same. */
export const filter = (env: Environment, allowed: ReadonlyArray<string>): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => allowed.includes(name) || passes(name)))
