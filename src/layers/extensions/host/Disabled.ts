/** Which extensions the setting `disabledExtensions` turns off. */
import type { Extension } from "../pi/Instance.ts"

/** An extension goes by its path, its file name with and without the ending, its folder if that has its name, and its package. */
const namesOf = ({ path, source }: Extension): ReadonlyArray<string> => {
  const parts = path.split("/")
  const file = parts.at(-1) ?? path
  const stem = file.replace(/\.[cm]?[jt]s$/, "")
  const named = stem === "index" ? [parts.at(-2) ?? stem] : [file, stem]
  return [path, ...named, ...(source.origin === "package" ? [source.source, source.source.replace(/^npm:/, "")] : [])]
}

export const without = (
  extensions: ReadonlyArray<Extension>,
  disabled: ReadonlyArray<string>
): ReadonlyArray<Extension> => {
  if (disabled.length === 0) return extensions
  const names = new Set(disabled)
  return extensions.filter((extension) => !namesOf(extension).some((name) => names.has(name)))
}
