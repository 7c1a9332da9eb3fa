/** Reads values out of frames, whose shape the host under test decides. */
import { isFrame } from "../../support/torture/Agent.ts"

/** The value behind a path of keys and indices; undefined where the path leads nowhere. */
export const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>((inner, key) => {
    if (Array.isArray(inner)) return typeof key === "number" ? inner.at(key) : undefined
    return isFrame(inner) ? inner[key] : undefined
  }, value)

export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** The text of a message or a tool result: a string, or the text blocks of an array. */
export const text = (content: unknown): string =>
  typeof content === "string"
    ? content
    : list(content)
        .map((block) => at(block, "text"))
        .filter((part) => typeof part === "string")
        .join("\n")

const colours = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g")

/** Without colours: pi paints status texts, a host without a theme does not. */
export const plain = (value: unknown): string => (typeof value === "string" ? value.replaceAll(colours, "") : "")

/** For reasons of failures: on one line, and not too long for a table. */
export const brief = (value: unknown, most = 160): string => {
  const line = plain(typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing")).replaceAll(/\s+/g, " ")
  return line.length > most ? `${line.slice(0, most)}…` : line
}
