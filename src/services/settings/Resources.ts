/** Settings that name what is loaded: extensions, packages, skills and prompt templates (protocol.md 11.3, 11.4). */
import * as Schema from "effect/Schema"
import { optional } from "../../domain/conversation/Content.ts"
import { setting } from "./Setting.ts"

/** With patterns, only the parts that match are taken; an empty list takes none of that kind. */
export const PackageSource = Schema.Union(
  Schema.NonEmptyString,
  Schema.Struct({
    source: Schema.NonEmptyString,
    extensions: optional(Schema.Array(Schema.String)),
    skills: optional(Schema.Array(Schema.String)),
    prompts: optional(Schema.Array(Schema.String))
  })
)
export type PackageSource = typeof PackageSource.Type

const paths = () => Schema.Array(Schema.NonEmptyString)

export const fields = () => ({
  extensions: setting(
    paths(),
    "Files and folders of extensions, relative to the settings file. Those of the project are added to those of the user."
  ),
  packages: setting(
    Schema.Array(PackageSource),
    "Packages with extensions, skills and prompt templates: paths, or `npm:name` for installed ones. An object with `source` takes only the parts that match its patterns. Added up like `extensions`."
  ),
  disabledExtensions: setting(Schema.Array(Schema.String), "Names of extensions that are found but not loaded."),
  extensionRoots: setting(
    paths(),
    "Folders that are looked at like the agent folder (`~/.pi/agent`) or, if relative, like `.heddle` of the project (`.pi`)."
  ),
  skills: setting(paths(), "More files and folders of skills, relative to the settings file."),
  prompts: setting(paths(), "More files and folders of prompt templates, relative to the settings file.")
})

export const defaults = {
  extensions: [],
  packages: [],
  disabledExtensions: [],
  extensionRoots: [],
  skills: [],
  prompts: []
} as const
