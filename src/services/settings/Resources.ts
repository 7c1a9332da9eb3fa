/** Settings that name what is loaded: extensions, packages, skills and prompt templates (protocol.md 11.3, 11.4). */
import * as Schema from "effect/Schema"
import { optional } from "../../domain/conversation/Content.ts"
import { setting, texts } from "./Setting.ts"

/** With patterns, only the parts that match are taken; an empty list takes none of that kind. */
export const PackageSource = Schema.Union(
  Schema.NonEmptyString,
  Schema.Struct({
    source: Schema.NonEmptyString,
    extensions: optional(texts),
    skills: optional(texts),
    prompts: optional(texts)
  })
)
export type PackageSource = typeof PackageSource.Type

const paths = Schema.Array(Schema.NonEmptyString)

export const fields = {
  extensions: setting(
    paths,
    "Files and folders of extensions, relative to the settings file. Those of the project are added to those of the user.",
    { default: [] }
  ),
  requiredExtensions: setting(
    paths,
    "Extensions like those of `extensions`, also as `npm:name` of an installed package, that heddle does not start without: each has to load. A project's own count as missing until the project is trusted. Added up like `extensions`.",
    { default: [] }
  ),
  packages: setting(
    Schema.Array(PackageSource),
    "Packages with extensions, skills and prompt templates: paths, or `npm:name` for installed ones. An object with `source` takes only the parts that match its patterns. Added up like `extensions`.",
    { default: [] }
  ),
  disabledExtensions: setting(texts, "Names of extensions that are found but not loaded.", {
    default: []
  }),
  extensionRoots: setting(
    paths,
    "Folders that are looked at like the agent folder (`~/.pi/agent`) or, if relative, like `.heddle` of the project (`.pi`).",
    { default: [] }
  ),
  skills: setting(paths, "More files and folders of skills, relative to the settings file.", { default: [] }),
  prompts: setting(paths, "More files and folders of prompt templates, relative to the settings file.", {
    default: []
  })
}
