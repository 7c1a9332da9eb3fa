/** The environment of commands: a part of heddle's own, and settings for programs that run unattended. */
import { mayPass } from "../../machine/processes/VariableNames.ts"

/** There is no terminal: programs must not page, open an editor, ask, or draw. */
const unattended: Readonly<Record<string, string>> = {
  TERM: "dumb",
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  AWS_PAGER: "cat",
  GH_PAGER: "cat",
  BAT_PAGER: "cat",
  EDITOR: "true",
  VISUAL: "true",
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  GIT_TERMINAL_PROMPT: "0",
  GIT_MERGE_AUTOEDIT: "no",
  SSH_ASKPASS_REQUIRE: "never",
  GH_PROMPT_DISABLED: "1",
  DEBIAN_FRONTEND: "noninteractive",
  PIP_NO_INPUT: "1"
}

/** Selects once: heddle's own environment does not change. `extra` passes unchecked, because the caller named it. */
export const forCommands = (inherited: Readonly<Record<string, string | undefined>>) => {
  const chosen: Record<string, string> = {}
  for (const [name, value] of Object.entries(inherited)) {
    if (value !== undefined && mayPass(name)) chosen[name] = value
  }
  return (extra: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => ({
    ...chosen,
    ...unattended,
    ...extra
  })
}
