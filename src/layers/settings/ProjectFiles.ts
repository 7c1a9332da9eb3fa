/** The settings files of a project. Of two in a row the later one wins, key by key. */

const names = [".heddle/heddle.jsonc", ".heddle/settings.json"]

export const pathsIn = (cwd: string): ReadonlyArray<string> => names.map((name) => `${cwd}/${name}`)
