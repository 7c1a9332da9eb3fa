/** `null` for an optional member counts as absent (protocol.md 2.1): some hosts write every member that they know. */
import * as Predicate from "effect/Predicate"
import * as AST from "effect/SchemaAST"

const dropFrom = (ast: AST.TypeLiteral, value: Readonly<Record<string, unknown>>): unknown => {
  const known = new Map(ast.propertySignatures.map((member) => [String(member.name), member]))
  const kept = Object.entries(value).filter(([name, member]) => member !== null || known.get(name)?.isOptional !== true)
  return Object.fromEntries(
    kept.map(([name, member]) => {
      const signature = known.get(name)
      return [name, signature === undefined ? member : drop(signature.type, member)]
    })
  )
}

/** The value without the optional members that are null. To be used where a value was refused as it is. */
export const drop = (ast: AST.AST, value: unknown): unknown => {
  switch (ast._tag) {
    case "TypeLiteral":
      return Predicate.isReadonlyRecord(value) ? dropFrom(ast, value) : value
    case "TupleType": {
      const item = ast.rest[0]?.type
      return Array.isArray(value) && item !== undefined ? value.map((member) => drop(item, member)) : value
    }
    case "Union":
      return ast.types.reduce((rest, member) => drop(member, rest), value)
    case "Refinement":
    case "Transformation":
      return drop(ast.from, value)
    case "Suspend":
      return drop(ast.f(), value)
    default:
      return value
  }
}
