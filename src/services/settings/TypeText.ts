/** The type of a setting in words, for warnings and for docs/settings.md. */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as SchemaAST from "effect/SchemaAST"

const refined = (type: SchemaAST.Refinement): string => {
  const facts = Option.getOrElse(SchemaAST.getJSONSchemaAnnotation(type), () => ({}))
  const fact = (name: string) => (Predicate.hasProperty(facts, name) ? facts[name] : undefined)
  const base = of(type.from)
  if (fact("type") === "integer") return "a whole number"
  if (fact("minLength") !== undefined) return "a non-empty text"
  const [least, most, above] = [fact("minimum"), fact("maximum"), fact("exclusiveMinimum")]
  if (least !== undefined && most !== undefined) return `${base} from ${String(least)} to ${String(most)}`
  if (least !== undefined) return `${base} of at least ${String(least)}`
  return above === undefined ? base : `${base} above ${String(above)}`
}

const either = (words: ReadonlyArray<string>): string =>
  [words.slice(0, -1).join(", "), ...words.slice(-1)].filter((part) => part !== "").join(" or ")

const items = (type: SchemaAST.AST): string =>
  either((SchemaAST.isUnion(type) ? type.types : [type]).map((item) => of(item).replace(/^an? (.+)$/, "$1s")))

/** For a type that settings have; others are "a value". */
export const of = (type: SchemaAST.AST): string => {
  switch (type._tag) {
    case "BooleanKeyword":
      return "true or false"
    case "NumberKeyword":
      return "a number"
    case "StringKeyword":
      return "a text"
    case "Literal":
      return JSON.stringify(type.literal)
    case "Union":
      return either(type.types.map(of))
    case "Refinement":
      return refined(type)
    case "TupleType":
      return `a list of ${either(type.rest.map((item) => items(item.type)))}`
    case "TypeLiteral": {
      const [map] = type.indexSignatures
      return map === undefined ? "an object" : `an object whose members are each ${of(map.type)}`
    }
    default:
      return "a value"
  }
}

/** Whether names of any kind may stand in it, as in `retry.fallbackChains`. */
export const isMap = (type: SchemaAST.AST): boolean => SchemaAST.isTypeLiteral(type) && type.indexSignatures.length > 0
