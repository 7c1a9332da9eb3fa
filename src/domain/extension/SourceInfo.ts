/** Where an extension, a skill or a prompt template comes from, as hosts and extensions are told (extensions.md 6). */

export type SourceScope = "temporary" | "user" | "project"

export interface SourceInfo {
  /** The real path of the file or folder. */
  readonly path: string
  /** `cli` for `-e`, `auto` for the conventional folders, `local` for the setting `extensions`, else the package as written. */
  readonly source: string
  readonly scope: SourceScope
  readonly origin: "top-level" | "package"
  readonly baseDir?: string
}
