/** Renders docs/settings.md and docs/settings.schema.json from the schema that checks settings. */
import * as JSONSchema from "effect/JSONSchema"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Keys from "../src/layers/workspace/settings/Keys.ts"
import { defaults } from "../src/services/Settings.ts"
import { marksOf } from "../src/services/settings/Setting.ts"
import * as TypeText from "../src/services/settings/TypeText.ts"

type Json = Readonly<Record<string, unknown>>

const builtIn = new Map<string, unknown>(Object.entries(defaults))
const { groups, types } = Keys.known()
const settings = [...types].map(([key, type]) => ({
  key,
  type,
  marks: marksOf(type),
  initial: builtIn.get(key),
  description: Option.getOrElse(SchemaAST.getDescriptionAnnotation(type), () => "")
}))
type Setting = (typeof settings)[number]

/** Types that Effect names. */
const named: Readonly<Record<string, Json>> = {
  "#/$defs/Int": { type: "integer" },
  "#/$defs/Finite": { type: "number" },
  "#/$defs/NonEmptyString": { type: "string", minLength: 1 }
}

const inline = (value: unknown, defs: Json): unknown => {
  if (Array.isArray(value)) return value.map((member) => inline(member, defs))
  if (typeof value !== "object" || value === null) return value
  const { $ref, ...rest }: Json = { ...value }
  const name = typeof $ref === "string" ? $ref : ""
  const target = named[name] ?? (name === "" ? {} : inline(defs[name.replace("#/$defs/", "")], defs))
  const members = Object.entries(rest).filter(([member]) => member !== "$id")
  return { ...Object(target), ...Object.fromEntries(members.map(([member, inner]) => [member, inline(inner, defs)])) }
}

const ofProjects = {
  more: "A project may add to it.",
  stricter: "A project may only make it stricter.",
  lower: "A project may only lower it.",
  nothing: "Not for projects."
}

const notes = ({ marks }: Setting): ReadonlyArray<string> => [
  ...(marks.planned === true ? ["Has no effect yet."] : []),
  ...(marks.reset === true ? ["Rpc mode resets it."] : []),
  ...(marks.free === true ? ["Free for projects."] : []),
  ...(marks.adds === true ? ["The lists of all sources add up."] : []),
  ...(marks.project === undefined ? [] : [ofProjects[marks.project]])
]

const definition = (setting: Setting): Json => {
  const {
    $defs,
    $schema: _,
    ...body
  } = JSONSchema.make(Schema.make<unknown>(setting.type), { target: "jsonSchema2020-12" })
  const description = [setting.description, ...notes(setting)].join(" ")
  const initial = setting.initial === undefined ? {} : { default: setting.initial }
  return { ...Object(inline(body, { ...$defs })), description, ...initial }
}

/** What an object of settings may hold: dotted names, and objects for the part before a dot. */
const members = (prefix: string): Json => {
  const properties: Record<string, unknown> = {}
  const patterns: Record<string, unknown> = {}
  for (const setting of settings.filter(({ key }) => key.startsWith(prefix))) {
    const name = setting.key.slice(prefix.length)
    properties[name] = { $ref: `#/$defs/${setting.key}` }
    // A member of a map may be named alone.
    if (TypeText.isMap(setting.type))
      patterns[`^${name.replaceAll(".", "\\.")}\\.`] = definition(setting)["additionalProperties"]
  }
  for (const group of [...groups].filter((found) => found.startsWith(prefix))) {
    const name = group.slice(prefix.length)
    if (name === "") continue
    const value = properties[name]
    const object = { $ref: `#/$defs/${group}.*` }
    properties[name] = value === undefined ? object : { anyOf: [value, object] }
  }
  return {
    type: "object",
    properties,
    ...(Object.keys(patterns).length === 0 ? {} : { patternProperties: patterns }),
    additionalProperties: false
  }
}

export const schema = (): string => {
  const root = members("")
  const $defs = Object.fromEntries([
    ...settings.map((setting) => [setting.key, definition(setting)] as const),
    ...[...groups].map((group) => [`${group}.*`, members(`${group}.`)] as const)
  ])
  const file = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "heddle settings",
    ...root,
    properties: { $schema: { type: "string" }, ...Object(root["properties"]) },
    $defs
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

const cell = (text: string) => text.replaceAll("|", "\\|")
const code = (value: unknown) => (value === undefined ? "unset" : `\`${cell(JSON.stringify(value))}\``)

/** oxfmt aligns tables, so this does, too. */
const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: ReadonlyArray<string>) => `| ${row.map((text, at) => text.padEnd(widths[at] ?? 0)).join(" | ")} |`
  const [head = [], ...body] = rows
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n")
}

const section = (title: string, found: ReadonlyArray<Setting>): string =>
  `### ${title}\n\n${table([
    ["Key", "Type", "Default", "Meaning"],
    ...found.map((setting) => [
      `\`${setting.key}\``,
      cell(TypeText.of(setting.type)),
      code(setting.initial),
      [setting.description, ...notes(setting)].join(" ")
    ])
  ])}`

const names = (mark: "free" | "reset") =>
  settings
    .filter(({ marks }) => marks[mark] === true)
    .map(({ key }) => `\`${key}\``)
    .join(", ")

export const page = (): string => {
  const first = (key: string) => (key.includes(".") ? key.slice(0, key.indexOf(".")) : "")
  const sections = [...new Set(settings.map(({ key }) => first(key)))]
  const tables = sections.map((name) =>
    section(
      name === "" ? "general" : name,
      settings.filter(({ key }) => first(key) === name)
    )
  )
  return `<!-- Written by \`npm run docs\` from src/services/Settings.ts. -->

# Settings

Settings come from files and from the command line. heddle reads them once, at start, and never writes them: commands of a
host, such as \`set_steering_mode\`, change the running process only. \`heddle config\` prints every setting with the value in
force and where it comes from; \`heddle config <key>\` explains one.

## Files and their order

Later ones win, key by key. Objects are merged, lists are replaced. Settings that protect you, those of [approvals](approvals.md), are an exception: their lists add up,
and a project can only make them stricter, trusted or not.

1. The defaults below. \`--dialect\` changes a few of them.
2. \`omp.jsonc\`, then \`config.yml\`, then \`settings.json\` in the agent folder (\`~/.heddle/agent\`, or \`HEDDLE_AGENT_DIR\`).
   Of \`omp.jsonc\`, which is a file of other programs, only the settings below \`task\` count.
3. \`omp.jsonc\` in the same way, then \`.heddle/heddle.jsonc\`, then \`.heddle/settings.json\` in the working folder. Of a project that is not
   [trusted](hosts/trust.md#trust) only these count: ${names("free")}. Settings of the [sandbox](sandbox.md#settings) are
   another matter: any project can make them stricter, whatever comes below, and none can make them looser.
4. Rpc mode resets these to their defaults, or those of the dialect, so that a host sees the same agent on every machine: ${names("reset")}. With
   \`--inherit-settings\` the files count.
5. \`--set key=json\`, which may be given several times. A value that is not JSON is taken as text.
6. Other options and variables: \`--offline\` or \`PI_OFFLINE\` (\`models.discover\`), \`--session-dir\` or
   \`PI_CODING_AGENT_SESSION_DIR\` (\`sessionDir\`), \`--models\` (\`enabledModels\`), \`--approvals\`, \`--allow\`, \`--ask\` and \`--deny\` (\`approvals.*\`), \`--thinking\` (\`defaultThinkingLevel\`).
7. Commands of the host, while the process runs.

The lists of extensions and packages of a trusted project are added to yours; see [hosts/trust.md](hosts/trust.md#extensions).

## How to write them

JSON files may have comments and trailing commas. A dot in a name and an object mean the same, and you can mix them:

\`\`\`jsonc
{
  "$schema": "path/to/heddle/docs/settings.schema.json", // for editors; heddle ignores it
  "compaction": { "enabled": true, "keepRecentTokens": 30000 },
  "retry.maxRetries": 5,
  "todo": { "reminders": { "max": 2 } },
  "todo.reminders": true
}
\`\`\`

A member of an object such as \`retry.fallbackChains\` can be set alone, too: \`--set 'retry.fallbackChains.default=["openai/gpt-6-luna"]'\`.

A name that is no setting, a value of the wrong type, and a setting without effect are reported on stderr with file, line
and column, and to the host in one \`notice\` with the source \`settings\`. The rest of the file counts. Settings of other programs, such as
\`theme\` in a folder that you share with pi, are one short line, and hosts are told of them only when they change.

## All settings

${tables.join("\n\n")}
`
}
