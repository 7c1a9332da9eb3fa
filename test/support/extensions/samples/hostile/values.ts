/** Throws, returns and passes values whose own code does harm when anybody looks at them. */
import { type Api, type Context, points, said } from "../Pi.ts"

let looks = 0

/** Every trap throws the very thing again. */
const trap: object = new Proxy(() => undefined, {
  get: (_, key) =>
    key in Reflect
      ? () => {
          looks++
          throw trap
        }
      : undefined
})
const proxy: object = new Proxy(() => undefined, trap)
const { proxy: revoked, revoke } = Proxy.revocable({}, {})
revoke()

const keys = ["message", "name", "stack", "then", "toString", "toJSON", "constructor", "errors", "content", "details"]
const getters = Object.defineProperties(
  {},
  Object.fromEntries(
    [...keys, Symbol.toPrimitive, Symbol.toStringTag].map((key) => [
      key,
      {
        enumerable: true,
        get: () => {
          looks++
          throw proxy
        }
      }
    ])
  )
)

const values: Record<string, () => unknown> = {
  proxy: () => proxy,
  revoked: () => revoked,
  getters: () => getters,
  prototype: () => Object.create(proxy),
  error: () => Object.setPrototypeOf(new Error("a hostile prototype"), proxy),
  errorGetters: () => Object.defineProperties(new Error("hidden"), Object.getOwnPropertyDescriptors(getters)),
  wrapped: () => new Proxy(new Error("wrapped"), trap),
  nested: () => {
    const errors: Array<unknown> = [proxy, getters]
    errors.push(new AggregateError(errors, "again"))
    return new AggregateError(errors, "several")
  },
  symbol: () => Symbol("secret"),
  nothing: () => Object.create(null)
}

export const names = Object.keys(values)
const of = (name: unknown) => values[String(name)]?.()

const throwing = (value: unknown) => {
  throw value
}

const ways: Record<string, (name: unknown) => unknown> = {
  throw: (name) => throwing(of(name)),
  reject: (name) => Promise.reject(of(name)),
  return: of,
  resolve: async (name) => ({ ...said("ok"), details: of(name), content: of(name) }),
  inside: (name) => ({
    ...said("ok", { details: { inside: of(name) } }),
    messages: [of(name)],
    message: { role: "custom", customType: "x", content: [of(name)], details: of(name) },
    compaction: { summary: "s", details: of(name) },
    result: of(name),
    action: of(name)
  }),
  timer: (name) => {
    setTimeout(() => throwing(of(name)), 0)
  },
  rejection: (name) => {
    void Promise.reject(of(name))
  }
}

const act = (text: unknown) => {
  const [way = "", name = ""] = String(text).split(" ")
  return ways[way]?.(name)
}

/** Passes the value wherever one can be passed. What heddle throws at that is caught. */
const pass = (pi: Api, ctx: Context, value: unknown) => {
  const given = { value }
  const call = (method: unknown, ...args: ReadonlyArray<unknown>) => {
    try {
      const answer: unknown = typeof method === "function" ? Reflect.apply(method, undefined, args) : undefined
      void Promise.resolve(answer).catch(() => undefined)
    } catch {
      // The next one may get through.
    }
  }
  const { ui } = ctx
  for (const method of [ui.notify, ui.setStatus, ui.setWidget, ui.setTitle, ui.setEditorText]) {
    call(method, value, value, value)
    call(method, "key", [value], value)
  }
  for (const question of [ui.select, ui.confirm, ui.input]) call(question, "?", [value], { signal: value, timeout: 1 })
  call(pi.appendEntry, "hostile", value)
  call(pi.appendEntry, "hostile", given)
  call(pi.sendMessage, value, value)
  call(pi.sendMessage, { customType: "hostile", content: "text", details: given }, value)
  call(pi.sendMessage, { customType: "hostile", content: [value] })
  call(pi.sendUserMessage, [value], value)
  call(pi.registerTool, value)
  call(pi.registerTool, { name: "odd", parameters: given, description: value, execute: () => said("odd") })
  call(pi.registerCommand, "odd", value)
  call(pi.registerCommand, "odd", { handler: () => undefined, getArgumentCompletions: () => [value] })
  call(pi.registerFlag, "odd", value)
  call(pi.registerProvider, "odd", value)
  call(pi.registerProvider, "odd", { models: [value], headers: given, streamSimple: value })
  call(pi.setActiveTools, [value, ...pi.getActiveTools()])
  call(pi.events.on, "odd", () => throwing(value))
  call(pi.events.emit, "odd", value)
  call(Reflect.get(pi, "setModel"), value)
  call(Reflect.get(pi, "exec"), "true", [], { signal: value, timeout: value })
  call(Reflect.get(Reflect.get(pi, "logger"), "warn"), value)
  call(Reflect.get(Reflect.get(ctx, "modelRegistry"), "stream"), Reflect.get(ctx, "model"), value, value)
  call(
    Reflect.get(Reflect.get(ctx, "modelRegistry"), "stream"),
    Reflect.get(ctx, "model"),
    { messages: [value] },
    given
  )
}

export default (pi: Api): void => {
  let plan: { point?: string; text?: string } = {}
  for (const point of points) {
    pi.on(point, (event) => {
      if (plan.point !== point) return undefined
      const { text = "" } = plan
      plan = {}
      if (text.startsWith("change ")) event.input["value"] = of(text.slice(7))
      return act(text)
    })
  }
  pi.registerCommand("at", {
    handler: (args) => {
      const [point = "", text = ""] = args.split("|")
      plan = { point, text }
    }
  })
  pi.registerCommand("do", { handler: act })
  pi.registerCommand("looks", { handler: (_args, { ui }) => ui.notify(`looks ${looks}`) })
  pi.registerCommand("pass", { handler: (name, ctx) => pass(pi, ctx, of(name)) })
  pi.registerTool({ name: "do", parameters: { type: "object" }, execute: (_id, { text }) => act(text) })
  const reading = Object.assign(
    { name: "prepares", execute: () => said("prepared") },
    { prepareArguments: () => proxy }
  )
  pi.registerTool(reading)
}
