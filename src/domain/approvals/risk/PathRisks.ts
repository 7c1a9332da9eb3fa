/** The codes of paths: of the file tools, and of words of a line that look like paths. */
import * as Match from "../Match.ts"
import { isHidden, isInWorkspace, type Places } from "../Subject.ts"
import type { RiskCode } from "./Codes.ts"

/** What the shell reads at its start, and what decides how tools of a project run. */
const startUp =
  /\/(\.(bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zshenv|zprofile|zlogin|gitconfig|inputrc|envrc)$|\.git\/(config|hooks)(\/|$))/

const isSettings = (path: string, { settings }: Places): boolean =>
  startUp.test(path) || settings.some((folder) => Match.isWithin(path, folder))

/** Devices that are no files. */
const isDevice = (path: string): boolean =>
  /^\/dev\/(null|zero|full|u?random|tty|std(in|out|err)|fd(\/\d+)?)$/.test(path)

export const codesOf = (path: string, places: Places, writes: boolean): ReadonlyArray<RiskCode> => {
  if (isDevice(path)) return []
  if (/^\/dev\/(tcp|udp)\//.test(path)) return ["network"]
  const codes: Array<RiskCode> = []
  if (!isInWorkspace(path, places)) codes.push("outside_workspace")
  if (isHidden(path, places)) codes.push("secrets")
  if (writes && isSettings(path, places)) codes.push("settings")
  return codes
}

/** The path in a word: behind `--option=` and `of=`, and of `$HOME`. A word with another expansion at its start is any path. */
export const pathIn = (word: string, home: string): string => {
  const value = word.replace(/^-{0,2}[\w-]{1,64}=/, "")
  return value.replace(/^\$(HOME|\{HOME\})(?=\/|$)/, home)
}

/** Whether the word is an option, an address or a plain word of no folder. */
export const isPlain = (path: string): boolean =>
  (path.startsWith("-") && !path.includes("/")) || /^[a-z][a-z0-9+.-]{1,32}:\/\//i.test(path)
