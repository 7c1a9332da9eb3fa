/** The tools of Claude Code by the names that ours have, for the agents of users who come from there. */

const ours = new Map([
  ["read", "read"],
  ["grep", "grep"],
  ["glob", "find"],
  ["find", "find"],
  ["ls", "ls"],
  ["bash", "bash"],
  ["edit", "edit"],
  ["multiedit", "edit"],
  ["write", "write"],
  ["task", "task"],
  ["agent", "task"]
])

const everything = [...new Set(ours.values())]

/** Undefined for a tool that we do not have. What stands in parentheses, as in `Bash(git log:*)`, is no part of the name. */
const translateOne = (name: string) =>
  ours.get(
    name
      .replace(/\s*\(.*$/s, "")
      .trim()
      .toLowerCase()
  )

const translateAll = (names: ReadonlyArray<string>) => [...new Set(names.flatMap((name) => translateOne(name) ?? []))]

/** Undefined where the file limits nothing. What it denies stays denied, although other files have no such member. */
export const translate = (
  tools: ReadonlyArray<string> | undefined,
  denied: ReadonlyArray<string> | undefined
): ReadonlyArray<string> | undefined => {
  const hasAll = tools === undefined || tools.includes("*")
  if (denied === undefined || denied.length === 0) return hasAll ? undefined : translateAll(tools)
  const without = new Set(translateAll(denied))
  return (hasAll ? everything : translateAll(tools)).filter((name) => !without.has(name))
}
