/**
 * Variables of `.env` files, for keys that the environment itself does not have (protocol.md 1.5). They are read once, when
 * somebody first asks, and never become part of the environment: what we start does not see them.
 */
import { readFileSync, statSync } from "node:fs"
import { parseEnv } from "node:util"
import * as LocalPaths from "./LocalPaths.ts"

export interface FoundVariable {
  readonly value: string
  readonly file: string
}

export interface EnvFiles {
  /** From the first of the folders whose file has it. Undefined also for an empty one. */
  readonly find: (name: string) => FoundVariable | undefined
}

/** More than anybody writes by hand; a project may put anything under that name, also a pipe that never ends. */
const largest = 256 * 1024

const read = (file: string): Readonly<Record<string, string | undefined>> => {
  try {
    const stats = statSync(file, { throwIfNoEntry: false })
    return stats?.isFile() === true && stats.size <= largest ? parseEnv(readFileSync(file, "utf8")) : {}
  } catch {
    return {} // as good as none: it may not be meant for us
  }
}

/** Where they are looked for: in the working folder, then at home. */
export const foldersFor = (cwd: string): ReadonlyArray<string> => [cwd, LocalPaths.home()]

export const make = (folders: ReadonlyArray<string>): EnvFiles => {
  let files: ReadonlyArray<{ readonly file: string; readonly values: ReturnType<typeof read> }> | undefined
  const readAll = () =>
    folders.map((folder) => {
      const file = `${folder}/.env`
      return { file, values: read(file) }
    })
  return {
    find: (name) => {
      files ??= readAll()
      for (const { file, values } of files) {
        const value = Object.hasOwn(values, name) ? values[name] : undefined
        if (value) return { value, file }
      }
      return undefined
    }
  }
}
