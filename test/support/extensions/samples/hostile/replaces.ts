/** Puts other things in the place of what the language brings, as a careless polyfill does. */
import type { Api } from "../Pi.ts"

const broken = () => {
  throw new Error("this belongs to an extension now")
}

const targets: Record<string, () => unknown> = {
  "JSON.parse": () => Reflect.set(JSON, "parse", broken),
  "JSON.stringify": () => Reflect.set(JSON, "stringify", broken),
  JSON: () => Reflect.set(globalThis, "JSON", {}),
  Promise: () => Reflect.set(globalThis, "Promise", broken),
  "Promise.resolve": () => Reflect.set(Promise, "resolve", broken),
  "Promise.race": () => Reflect.set(Promise, "race", broken),
  "Promise.prototype.then": () => Reflect.set(Promise.prototype, "then", broken),
  setImmediate: () => Reflect.set(globalThis, "setImmediate", broken),
  timers: () => {
    for (const name of ["setTimeout", "setInterval", "setImmediate"]) Reflect.set(globalThis, name, () => 0)
  },
  setTimeout: () => Reflect.set(globalThis, "setTimeout", broken),
  queueMicrotask: () => Reflect.set(globalThis, "queueMicrotask", broken),
  String: () => Reflect.set(globalThis, "String", broken),
  "Object.entries": () => Reflect.set(Object, "entries", broken),
  "Reflect.apply": () => Reflect.set(Reflect, "apply", broken),
  "Array.prototype.map": () => Reflect.set(Array.prototype, "map", broken),
  "Array.prototype.push": () => Reflect.set(Array.prototype, "push", broken),
  "Map.prototype.get": () => Reflect.set(Map.prototype, "get", broken)
}

export default (pi: Api): void => {
  pi.registerCommand("replace", { handler: (name) => void targets[name]?.() })
}
