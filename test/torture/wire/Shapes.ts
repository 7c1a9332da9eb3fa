/** Compares frames of the agent with docs/rpc.schema.json: small ones of every kind, and then a sample. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type Schema, Validator } from "@cfworker/json-schema"
import { type Frame, isFrame } from "../../support/torture/Agent.ts"

/** Without the ids of parts that stand in several places: the validator knows each id once. */
const schema: Schema = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../docs/rpc.schema.json"), "utf8").replaceAll(/"\$id": ?"[^"]*",?/g, "")
)

const validators = new Map<string, Validator | undefined>()
const refOf = (frame: Frame): { readonly name: string; readonly ref: unknown; readonly value: unknown } => {
  const isResponse = frame["type"] === "response"
  const name = `${isResponse ? frame["command"] : frame["type"]}`
  const table: unknown = schema[isResponse ? "x-commands" : "x-events"]
  const entry = isFrame(table) && Object.hasOwn(table, name) ? table[name] : undefined
  const ref = isFrame(entry) ? (isResponse ? entry["data"] : entry["frame"]) : undefined
  return { name: `${isResponse ? "data of " : ""}${name}`, ref, value: isResponse ? frame["data"] : frame }
}

const validatorOf = (name: string, ref: unknown) => {
  if (!validators.has(name)) {
    const target = isFrame(ref) && typeof ref["$ref"] === "string" ? ref["$ref"] : undefined
    const each =
      target === undefined ? undefined : new Validator({ $ref: target, $defs: schema.$defs ?? {} }, "2020-12", true)
    validators.set(name, each)
  }
  return validators.get(name)
}

export const checker = (violate: (what: string) => void) => {
  const counts = new Map<string, number>()
  let seq = { epoch: "", next: 0 }
  return (frame: Frame, bytes: number) => {
    const { name, ref, value } = refOf(frame)
    if (frame["type"] !== "response") {
      if (frame["epoch"] === seq.epoch && frame["seq"] !== seq.next)
        violate(`seq ${frame["seq"]} in place of ${seq.next}: ${name}`)
      seq = { epoch: `${frame["epoch"]}`, next: Number(frame["seq"]) + 1 }
    }
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    if (bytes > 20_000 || (count > 20 && count % 100 !== 0) || frame["success"] === false || value === undefined) return
    const result = validatorOf(name, ref)?.validate(value)
    if (result?.valid === false) violate(`${name} does not fit the schema: ${JSON.stringify(result.errors.at(-1))}`)
  }
}
