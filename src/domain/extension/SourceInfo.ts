/** Where a command, a tool, an extension, a skill or a prompt template comes from, as hosts and extensions see it (extensions.md 6). */
import * as Schema from "effect/Schema"
import { optional } from "../conversation/Content.ts"

export const SourceInfo = Schema.Struct({
  /** The real path of the file or folder. */
  path: Schema.String,
  /** `cli` for `-e`, `auto` for the conventional folders, `local` for the setting `extensions`, else the package as written. */
  source: Schema.String,
  scope: Schema.Literal("temporary", "user", "project"),
  origin: Schema.Literal("top-level", "package"),
  baseDir: optional(Schema.String)
})
export type SourceInfo = typeof SourceInfo.Type
