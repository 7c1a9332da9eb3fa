/**
 * Renders the generated modules of the Python client from docs/rpc.schema.json: the types of all frames, and a method
 * for each command, once for asyncio and once for threads. `npm run docs` writes them.
 */

type Json = Readonly<Record<string, unknown>>

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)
const object = (value: unknown): Json => (isJson(value) ? value : {})
const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
const text = (value: unknown): string => (typeof value === "string" ? value : "")

const pascal = (name: string) => name.replaceAll(/(?:^|[_-])(\w)/g, (_, letter: string) => letter.toUpperCase())
const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const refName = (schema: Json) => text(schema["$ref"]).replace("#/$defs/", "")

const keywords = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from global if " +
    "import in is lambda nonlocal not or pass raise return try while with yield"
  ).split(" ")
)

const literal = (values: ReadonlyArray<unknown>) =>
  `Literal[${values.map((value) => (typeof value === "boolean" ? pascal(String(value)) : JSON.stringify(value))).join(", ")}]`

const union = (members: ReadonlyArray<string>): string => {
  const distinct = [...new Set(members)]
  const present = distinct.filter((member) => member !== "None")
  const joined = present.length === 1 ? `${present[0]}` : `Union[${present.join(", ")}]`
  return present.length === distinct.length ? joined : `Optional[${joined}]`
}

const simple: Readonly<Record<string, string>> = {
  string: "str",
  number: "float",
  integer: "int",
  boolean: "bool",
  null: "None"
}

const isStruct = (schema: Json) => schema["type"] === "object" && Object.keys(object(schema["properties"])).length > 0

/** The value that tells the members of a union apart, for example `text_start` for `{type: "text_start", …}`. */
const tagOf = (schema: Json): string => {
  const properties = object(schema["properties"])
  const tag = object(properties["type"] ?? properties["role"] ?? properties["kind"])
  return text(tag["const"]) || text(list(tag["enum"])[0])
}

/** Collects the classes that the types of a schema need. */
const makeTypes = () => {
  const classes: Array<string> = []

  const variantName = (name: string, schema: Json, index: number, structs: number) =>
    structs === 1 ? name : `${name}${pascal(tagOf(schema)) || `Variant${index + 1}`}`

  const typeOf = (schema: Json, name: string): string => {
    const variants = list(schema["anyOf"]).map(object)
    if ("$ref" in schema) return refName(schema)
    if ("const" in schema) return literal([schema["const"]])
    if ("enum" in schema) return literal(list(schema["enum"]))
    if (variants.length > 0) {
      const structs = variants.filter(isStruct).length
      return union(variants.map((each, index) => typeOf(each, variantName(name, each, index, structs))))
    }
    if (schema["type"] === "array") return `List[${typeOf(object(schema["items"]), `${name}Item`)}]`
    if (isStruct(schema)) return struct(schema, name)
    if (schema["type"] === "object") {
      const values = object(schema["additionalProperties"])
      return `Dict[str, ${Object.keys(values).length === 0 ? "Any" : typeOf(values, `${name}Value`)}]`
    }
    return simple[text(schema["type"])] ?? "Any"
  }

  /** Python 3.9 has no `NotRequired`: the members that are always there stand in a class of their own. */
  const struct = (schema: Json, name: string, summary = ""): string => {
    const required = new Set(list(schema["required"]))
    const members = Object.entries(object(schema["properties"])).map(([member, type]) => ({
      member,
      type: typeOf(object(type), `${name}${pascal(member)}`)
    }))
    const always = members.filter(({ member }) => required.has(member))
    const sometimes = members.filter(({ member }) => !required.has(member))
    const both = always.length > 0 && sometimes.length > 0
    if (both) classes.push(classText(`_${name}Always`, "TypedDict", always, ""))
    const base = both ? `_${name}Always, total=False` : always.length > 0 ? "TypedDict" : "TypedDict, total=False"
    classes.push(classText(name, base, both || always.length === 0 ? sometimes : always, summary))
    return name
  }

  return { classes, struct, typeOf }
}

interface Member {
  readonly member: string
  readonly type: string
}

const docstring = (said: string, indent: string) => {
  const escaped = said.replaceAll("\\", "\\\\").replaceAll('"""', "'''")
  return said === "" ? [] : [`${indent}"""${escaped}${escaped.endsWith('"') ? " " : ""}"""`]
}

/** Names that Python reserves cannot be members of a class statement. */
const classText = (name: string, base: string, members: ReadonlyArray<Member>, summary: string): string => {
  if (members.some(({ member }) => keywords.has(member))) {
    const pairs = members.map(({ member, type }) => `        ${JSON.stringify(member)}: ${JSON.stringify(type)},`)
    return [`${name} = TypedDict(`, `    ${JSON.stringify(name)},`, "    {", ...pairs, "    },", ")"].join("\n")
  }
  const lines = members.map(({ member, type }) => `    ${member}: ${type}`)
  return [`class ${name}(${base}):`, ...docstring(summary, "    "), ...lines].join("\n")
}

const mentions = (type: string) => new Set(type.match(/\b[A-Z]\w+\b/g) ?? [])

/** Aliases are evaluated when the module is loaded, so each stands behind those that it mentions. */
const inOrder = (aliases: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const done = new Set<string>()
  const add = (name: string) => {
    if (done.has(name)) return
    for (const other of mentions(aliases.get(name) ?? "")) if (aliases.has(other) && other !== name) add(other)
    done.add(name)
  }
  for (const name of aliases.keys()) add(name)
  return [...done].map((name) => `${name} = ${aliases.get(name)}`)
}

const summariesOf = (schema: Json): ReadonlyMap<string, string> => {
  const entries = [
    ...Object.values(object(schema["x-commands"])).map((each) => [object(each)["request"], each] as const),
    ...["x-events", "x-hostFrames"].flatMap((part) =>
      Object.values(object(schema[part])).map((each) => [object(each)["frame"], each] as const)
    )
  ]
  return new Map(entries.map(([target, each]) => [refName(object(target)), text(object(each)["summary"])]))
}

const heading = (about: string) => `"""${about} Written by \`npm run docs\` from docs/rpc.schema.json: do not edit."""`

const wrapped = (name: string, open: string, members: ReadonlyArray<string>) =>
  [`${name} = ${open}[`, ...members.map((member) => `    ${member},`), "]"].join("\n")

/** `python/heddle_rpc/protocol.py` */
export const protocol = (schema: Json): string => {
  const { classes, struct, typeOf } = makeTypes()
  const summaries = summariesOf(schema)
  const aliases = new Map<string, string>()
  for (const [name, each] of Object.entries(object(schema["$defs"]))) {
    const definition = object(each)
    if (isStruct(definition)) struct(definition, name, summaries.get(name))
    else aliases.set(name, typeOf(definition, `${name}Value`))
  }
  const events = Object.values(object(schema["x-events"])).map((each) => refName(object(object(each)["frame"])))
  const codes = Object.values(object(schema["x-commands"])).flatMap((each) => list(object(each)["errors"]))
  const names = Object.keys(object(schema["x-commands"]))
  return [
    heading("The types of all frames."),
    "",
    "from __future__ import annotations",
    "",
    "from typing import Any, Dict, List, Literal, Optional, TypedDict, Union",
    "",
    `PROTOCOL_VERSION = ${Number(schema["x-protocolVersion"])}`,
    "",
    "",
    classes.join("\n\n\n"),
    "",
    "",
    inOrder(aliases).join("\n"),
    "",
    "# Hosts must expect events of later versions, whose types are not in this list.",
    wrapped("Event", "Union", events),
    "",
    wrapped(
      "CommandName",
      "Literal",
      names.map((name) => JSON.stringify(name))
    ),
    "",
    "# The codes of refused commands. Every command can also be refused with one of the codes in docs/hosts.md.",
    wrapped(
      "ErrorCode",
      "Literal",
      [...new Set(codes)].toSorted().map((code) => JSON.stringify(code))
    ),
    ""
  ].join("\n")
}

interface Parameter {
  readonly member: string
  readonly name: string
  readonly type: string
  readonly required: boolean
}

/** The types are those that `protocol` declares: the same names come out, and the classes are not needed again. */
const parametersOf = (request: Json, name: string): ReadonlyArray<Parameter> => {
  const { typeOf } = makeTypes()
  const required = new Set(list(request["required"]))
  return Object.entries(object(request["properties"]))
    .filter(([member]) => member !== "id" && member !== "type")
    .map(([member, type]) => ({
      member,
      name: keywords.has(snake(member)) ? `${snake(member)}_` : snake(member),
      type: typeOf(object(type), `${name}${pascal(member)}`),
      required: required.has(member)
    }))
}

/** In signatures a list may be any sequence. */
const accepted = (type: string) => type.replace(/^List\[/, "Sequence[")

const pairs = (parameters: ReadonlyArray<Parameter>) =>
  parameters.map(({ member, name }) => `${JSON.stringify(member)}: ${name}`).join(", ")

const paramsText = (needed: ReadonlyArray<Parameter>, optional: ReadonlyArray<Parameter>): string => {
  if (optional.length === 0) return `{${pairs(needed)}}`
  const given = `given({${pairs(optional)}})`
  return needed.length === 0 ? given : `{${pairs(needed)}, **${given}}`
}

const method = (command: string, spec: Json, defs: Json, form: "sync" | "async"): string => {
  const requestName = refName(object(spec["request"]))
  const parameters = parametersOf(object(defs[requestName]), requestName)
  const needed = parameters.filter(({ required }) => required)
  const optional = parameters.filter(({ required }) => !required)
  const result = refName(object(spec["data"])) || "None"
  const [define, wait] = form === "async" ? ["async def", "await "] : ["def", ""]
  const sent = `${wait}self._call(${JSON.stringify(command)}, ${paramsText(needed, optional)}, deadline)`
  const signature = [
    "self",
    ...needed.map(({ name, type }) => `${name}: ${accepted(type)}`),
    "*",
    ...optional.map(({ name, type }) => `${name}: Optional[${accepted(type)}] = None`),
    "deadline: Deadline = DEFAULT"
  ]
  return [
    `    ${define} ${command}(`,
    ...signature.map((each) => `        ${each},`),
    `    ) -> ${result}:`,
    ...docstring(text(spec["summary"]), "        "),
    ...(result === "None" ? [`        ${sent}`] : [`        data: ${result} = ${sent}`, "        return data"])
  ].join("\n")
}

/** Commands whose method is written by hand, because it takes functions. */
const byHand = new Set(["set_host_tools"])

const methodsClass = (name: string, about: string, form: "sync" | "async", schema: Json): string => {
  const commands = Object.entries(object(schema["x-commands"])).filter(([command]) => !byHand.has(command))
  const call = form === "async" ? "async def" : "def"
  return [
    `class ${name}:`,
    `    """${about}"""`,
    "",
    `    ${call} _call(self, command: str, params: Dict[str, Any], deadline: Deadline) -> Any:`,
    "        raise NotImplementedError",
    "",
    commands.map(([command, spec]) => method(command, object(spec), object(schema["$defs"]), form)).join("\n\n")
  ].join("\n")
}

/** `python/heddle_rpc/commands.py` */
export const commands = (schema: Json): string => {
  const classes = [
    methodsClass("AsyncCommands", "Every command as a coroutine.", "async", schema),
    methodsClass("Commands", "Every command as a method that blocks.", "sync", schema)
  ].join("\n\n\n")
  const types = new Set(Object.keys(object(schema["$defs"])))
  const used = [...mentions(classes.replaceAll(/"""[\s\S]*?"""/g, ""))]
    .filter((name) => types.has(name) || /Request[A-Z]/.test(name))
    .toSorted()
  return [
    heading("A method for each command."),
    "",
    "from __future__ import annotations",
    "",
    "from typing import Any, Dict, Literal, Optional, Sequence, Union",
    "",
    "from .deadlines import DEFAULT, Deadline",
    "from .protocol import (",
    ...used.map((name) => `    ${name},`),
    ")",
    "",
    "",
    "def given(params: Dict[str, Any]) -> Dict[str, Any]:",
    '    """The members that the caller gave: an absent one is left out of the frame."""',
    "    return {name: value for name, value in params.items() if value is not None}",
    "",
    "",
    classes,
    ""
  ].join("\n")
}
