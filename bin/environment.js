// Finds the variables that bun took from `.env` files of the working folder, which is a stranger's as a rule.
import { readFileSync, statSync } from "node:fs"

const fileNames = ["", ".development", ".production", ".test"].flatMap((mode) => [`.env${mode}`, `.env${mode}.local`])
const largest = 1024 * 1024

/** The variables that the process was started with. Linux keeps them apart from those that bun adds. */
const startedWith = () => {
  try {
    const lines = readFileSync("/proc/self/environ", "utf8").split("\0").filter(Boolean)
    return new Map(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]))
  } catch {
    return new Map()
  }
}

/**
 * Without that knowledge: the variables that may come from a text. The value stands in the text, or something in it is
 * replaced by bun, so that nobody can tell. A variable that was also set by the user may be among them.
 */
export const mayComeFrom = (text, variables) => {
  const names = text.toLowerCase()
  const replaces = /[$\\]/.test(text)
  const unix = text.replaceAll("\r\n", "\n")
  return Object.keys(variables).filter(
    (name) => names.includes(name.toLowerCase()) && (replaces || unix.includes(variables[name]))
  )
}

const readAll = (files) => {
  const tooLarge = files.find((file) => statSync(file).size > largest)
  if (tooLarge === undefined) return files.map((file) => readFileSync(file, "utf8")).join("\n")
  console.error(`heddle: ${tooLarge} of this folder is too large to check. Start with \`node bin/heddle.js\` instead.`)
  process.exit(1)
}

/** @returns the environment without what came from the folder, and the names of what was left out. */
export const withoutFolder = () => {
  const files = fileNames.filter((name) => statSync(name, { throwIfNoEntry: false })?.isFile() === true)
  if (files.length === 0) return { env: process.env, taken: [] }
  const before = startedWith()
  const env = { ...process.env }
  const taken =
    before.size > 0
      ? Object.keys(env).filter((name) => env[name] !== before.get(name))
      : mayComeFrom(readAll(files), env)
  for (const name of taken) {
    if (before.has(name)) env[name] = before.get(name)
    else delete env[name]
  }
  return { env, taken }
}
