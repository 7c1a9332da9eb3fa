/**
 * Ends the process. Extensions are kept from doing so, and heddle's own code takes that fence down first. The fence is
 * kept with the process, because bundles that are loaded later have a copy of this module.
 */

const key = Symbol.for("heddle/layers/platform/processes/Exit/fence")

const isFence = (value: unknown): value is () => void => typeof value === "function"

/** Calls `lift` before the process ends. There is one fence; undefined takes it away. */
export const setFence = (lift: (() => void) | undefined): void => {
  Reflect.set(process, key, lift)
}

export const exit = (code?: number): never => {
  const lift: unknown = Reflect.get(process, key)
  if (isFence(lift)) lift()
  return process.exit(code)
}
