/** Stands for the names of pi that heddle has no code for. Bun rejects an extension that imports a name without an export. */

/** Reading these must not look like success: promises, JSON and printing ask every object for them. */
const unanswered = new Set<PropertyKey>(["then", "toJSON", "$$typeof", "asymmetricMatch", "nodeType", "tagName"])

/**
 * A function that is also a base class. Calling or constructing it throws; importing, extending and reading members does
 * not. Members are such functions, too, so that `Name.create()` says what is missing.
 */
export const stub = (name: string, message = `${name} is not available in heddle`): object => {
  const refuse = function () {
    throw new Error(message)
  }
  Object.defineProperty(refuse, "name", { value: name })
  return new Proxy(refuse, {
    get: (target, key, receiver): unknown => {
      if (typeof key === "symbol" || key in target || unanswered.has(key)) return Reflect.get(target, key, receiver)
      return stub(`${name}.${key}`)
    }
  })
}

/** The real exports of a module, and a stub for each further name. */
export const complete = (
  names: Iterable<string>,
  real: Readonly<Record<string, unknown>>
): Readonly<Record<string, unknown>> => {
  const all: Record<string, unknown> = { ...real }
  for (const name of names) if (!Object.hasOwn(all, name)) all[name] = stub(name)
  return all
}
