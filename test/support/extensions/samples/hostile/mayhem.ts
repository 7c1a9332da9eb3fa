/** Does what an extension must not do, wherever and however it is told to. */
import { type Api, type Context, points, said } from "../Pi.ts"

const leave: Record<string, () => unknown> = {
  exit: () => process.exit(3),
  "exit 0": () => process.exit(),
  reallyExit: () => Reflect.apply(Reflect.get(process, "reallyExit"), process, [3]),
  abort: () => process.abort(),
  kill: () => process.kill(process.pid),
  killHard: () => process.kill(process.pid, "SIGKILL"),
  exitCode: () => {
    process.exitCode = 9
    process.emit("SIGTERM")
  }
}

const ways: Record<string, () => unknown> = {
  throw: () => {
    throw new Error("thrown")
  },
  reject: () => Promise.reject(new Error("rejected")),
  hang: () => new Promise(() => {}),
  nonsense: () => Promise.reject(Object.create(null)),
  "timer throws": () => {
    setTimeout(() => {
      throw new Error("thrown by a timer")
    }, 5)
  },
  "nobody catches": () => {
    void Promise.reject(new Error("nobody caught this"))
  },
  "timer exits": () => {
    setTimeout(() => process.exit(4), 5)
  },
  ...leave
}

const misbehave = (way: unknown): unknown => ways[String(way)]?.()

const huge = "x".repeat(10_000_000)

const showHuge = (pi: Api, { ui }: Context, what: string) => {
  if (what === "status") ui.setStatus("huge", huge)
  if (what === "widget") ui.setWidget("huge", [huge, ...Array.from({ length: 5000 }, () => "line")])
  if (what === "notify") ui.notify(huge)
  if (what === "entry") pi.appendEntry("huge", { huge })
  if (what === "message") pi.sendMessage({ customType: "huge", content: huge })
  if (what === "name") pi.registerCommand(huge, { handler: () => undefined })
}

export default (pi: Api): void => {
  let plan: { point?: string; way?: string } = {}
  for (const point of points) {
    pi.on(point, () => {
      if (plan.point !== point) return undefined
      const { way } = plan
      plan = {}
      return misbehave(way)
    })
  }
  pi.registerCommand("at", {
    handler: (args) => {
      const [point = "", way = ""] = args.split("|")
      plan = { point, way }
    }
  })
  pi.registerCommand("do", { handler: (args) => misbehave(args) })
  pi.registerCommand("huge", { handler: (args, ctx) => showHuge(pi, ctx, args) })
  pi.registerTool({ name: "do", execute: (_id, { way }) => misbehave(way) ?? said("went on") })
  pi.registerTool({ name: "huge_text", execute: () => said(huge) })
  pi.registerTool({ name: "huge_details", execute: () => said("small", { details: { huge } }) })
  pi.registerTool({
    name: "endless",
    execute: () => {
      const details: Record<string, unknown> = {}
      details["self"] = details
      return said("around", { details })
    }
  })
  pi.registerTool({ name: "no_result", execute: () => 42 })
}
