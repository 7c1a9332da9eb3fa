/** Uses the exports of a module as an extension does: by name, without types. */

const isFunction = (value: unknown): value is (...args: ReadonlyArray<unknown>) => unknown =>
  typeof value === "function"

const find = (owner: object, name: string) => {
  const found: unknown = Reflect.get(owner, name)
  if (!isFunction(found)) throw new Error(`${name} is not a function`)
  return found
}

/** Calls a function of a module, or a method of an object or class. */
export const call = (owner: unknown, name: string, ...args: ReadonlyArray<unknown>): unknown =>
  Reflect.apply(find(Object(owner), name), owner, args)

export const construct = (owner: object, name: string, ...args: ReadonlyArray<unknown>): object =>
  Reflect.construct(find(owner, name), args)

export const get = (owner: unknown, name: string): unknown => Reflect.get(Object(owner), name)
