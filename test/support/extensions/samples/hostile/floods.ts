/** Does one thing over and over: as much as it is told, or until it is told to stop. */
import type { Api, CommandContext } from "../Pi.ts"

type Pause = () => Promise<unknown>

const pauses: Record<string, Pause | undefined> = {
  sync: undefined,
  microtask: () => Promise.resolve(),
  immediate: () => new Promise((resolve) => setImmediate(resolve)),
  timer: () => new Promise((resolve) => setTimeout(resolve, 0))
}

const method =
  (from: object, name: string) =>
  (...args: ReadonlyArray<unknown>) =>
    Reflect.apply(Reflect.get(from, name), from, args)

const deeds = (pi: Api, { ui }: CommandContext): Record<string, (count: number) => unknown> => ({
  appendEntry: (count) => pi.appendEntry("flood", { count }),
  registerCommand: (count) => pi.registerCommand(`flood-${count}`, { handler: () => undefined }),
  sameCommand: () => pi.registerCommand("again", { handler: () => undefined }),
  registerTool: (count) => pi.registerTool({ name: `flood_${count}`, execute: () => "x" }),
  sendMessage: (count) => pi.sendMessage({ customType: "flood", content: `message ${count}`, display: true }),
  sendUserMessage: (count) => pi.sendUserMessage(`flood ${count}`, { deliverAs: "followUp" }),
  notify: (count) => ui.notify(`flood ${count}`),
  setStatus: (count) => ui.setStatus("flood", `flood ${count}`),
  setWidget: (count) => ui.setWidget("flood", [`flood ${count}`]),
  setTitle: (count) => ui.setTitle(`flood ${count}`),
  setLabel: (count) => method(pi, "setLabel")(`entry ${count}`, "flood"),
  setSessionName: (count) => method(pi, "setSessionName")(`flood ${count}`),
  setThinkingLevel: (count) => method(pi, "setThinkingLevel")(count % 2 === 0 ? "low" : "high"),
  setActiveTools: (count) => pi.setActiveTools(count % 2 === 0 ? ["read"] : ["bash"]),
  logger: (count) => method(Reflect.get(pi, "logger"), "info")(`flood ${count}`),
  confirm: (count) => void ui.confirm("flood", `${count}`),
  throwLater: () => {
    queueMicrotask(() => {
      throw new Error("flood")
    })
  },
  rejectLater: () => void Promise.reject(new Error("flood"))
})

export default (pi: Api): void => {
  let isOver = false
  let depth = 0
  pi.registerCommand("flood", {
    handler: async (args, ctx) => {
      const [deed = "", pause = "", most = ""] = args.split(" ")
      const act = deeds(pi, ctx)[deed] ?? (() => undefined)
      const wait = pauses[pause]
      isOver = false
      for (let count = 0; count < Number(most) && !isOver; count++) {
        act(count)
        if (wait !== undefined) await wait()
      }
    }
  })
  pi.registerCommand("stop", {
    handler: () => {
      isOver = true
    }
  })
  let again = ""
  pi.registerCommand("again", {
    handler: (way) => {
      again = way
      depth = 0
    }
  })
  const sayAgain = (text: string) => pi.sendUserMessage(`${text.slice(0, 20)} ${++depth}`, { deliverAs: "followUp" })
  pi.on("input", (event) => {
    if (again === "at once") sayAgain(event.text)
    return again === "later" ? Promise.resolve(event.text).then(sayAgain) : undefined
  })
  pi.registerCommand("self", { handler: () => pi.sendUserMessage("/self", { expandPromptTemplates: true }) })
  pi.events.on("around", () => pi.events.emit("around", undefined))
  pi.registerCommand("emit", { handler: () => pi.events.emit("around", undefined) })
  const rename = method(pi, "setSessionName")
  let [isPlaying, names] = [false, 0]
  pi.on("session_info_changed", () => {
    if (isPlaying) rename(`name ${++names}`)
  })
  pi.registerCommand("pingpong", {
    handler: () => {
      isPlaying = true
      rename("begin")
    }
  })
}
