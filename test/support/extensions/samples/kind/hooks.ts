/** Uses the power of every hook. The prompt, the arguments or a command say which one to use. */
import type { Api, Event } from "../Pi.ts"

const withText = (value: string) => [{ type: "text", text: value }]

const inputs = (pi: Api) => {
  pi.on("input", ({ source, text }, ctx) => {
    if (text === "ping") {
      ctx.ui.notify(`pong to ${String(source)}`)
      return { action: "handled" }
    }
    return text.startsWith("?") ? { action: "transform", text: `${text.slice(1)}, please` } : { action: "continue" }
  })
  pi.on("before_agent_start", ({ prompt, systemPrompt }) =>
    prompt === "additions"
      ? {
          message: { customType: "hint", content: "a hint", display: true, details: { n: 1 } },
          systemPrompt: `${systemPrompt}\nBe brief.`
        }
      : undefined
  )
  pi.on("context", ({ messages }) =>
    JSON.stringify(messages.at(-1)).includes("more context")
      ? { messages: [...messages, { role: "user", content: withText("only for this call"), timestamp: 1 }] }
      : undefined
  )
  pi.on("before_provider_request", ({ payload }) =>
    JSON.stringify(payload).includes("another payload") ? { ...payload, user: "somebody" } : undefined
  )
  pi.on("after_provider_response", ({ status }, ctx) => ctx.ui.setStatus("http", String(status)))
}

const outputs = (pi: Api) => {
  let replaces = false
  pi.on("agent_start", () => {
    replaces = false
  })
  pi.on("message_end", ({ message }) => {
    if (message.role === "user") replaces = JSON.stringify(message.content).includes("replace the answer")
    return message.role === "assistant" && replaces
      ? { message: { ...message, content: withText("another answer") } }
      : undefined
  })
  pi.on("tool_call", ({ input }) => {
    switch (input["power"]) {
      case "block":
        return { block: true, reason: "not today" }
      case "block without a reason":
        return { block: true }
      case "change":
        input["text"] = "changed by a hook"
        return undefined
      case "terminate":
        return { block: true, reason: "the end", terminate: true }
      case "throw":
        throw new Error("the gate is broken")
      case "reject":
        return Promise.reject(new Error("the gate is late and broken"))
      default:
        return undefined
    }
  })
  pi.on("tool_result", ({ content, input }) =>
    input["power"] === "answer"
      ? { content: withText(`${content[0]?.text ?? ""}!`), details: { by: "hook" }, isError: true }
      : undefined
  )
  pi.on("tool_result", ({ content, input }) =>
    input["power"] === "answer" ? { content: withText(`<${content[0]?.text ?? ""}>`) } : undefined
  )
}

const shells = (pi: Api) => {
  const exec = async (command: string, cwd: string, { onData }: { readonly onData: (data: Uint8Array) => void }) => {
    for (const part of [command, " in ", cwd]) onData(new TextEncoder().encode(part))
    return { exitCode: 3 }
  }
  pi.on("user_bash", ({ command }) => {
    if (command === "supplied")
      return { result: { output: "from a hook", exitCode: 7, cancelled: false, truncated: false } }
    return command === "elsewhere" ? { operations: { exec } } : undefined
  })
}

const changes = (pi: Api) => {
  let vetoes = false
  pi.registerCommand("veto", {
    handler: (args) => {
      vetoes = args === "on"
    }
  })
  const veto = (event: Event) => {
    pi.events.emit("asked", event)
    return vetoes ? { cancel: true } : undefined
  }
  for (const name of ["session_before_switch", "session_before_fork", "session_before_tree"]) pi.on(name, veto)
  pi.on("session_before_compact", (event) => {
    if (vetoes) return { cancel: true }
    return event.customInstructions === "as I say"
      ? { compaction: { summary: "what I say", details: { n: 2 } } }
      : undefined
  })
}

const watched = ["session_compact", "model_select", "thinking_level_select", "session_tree"]

export default (pi: Api): void => {
  pi.registerTool({
    name: "echo",
    description: "Says it again.",
    parameters: { type: "object", properties: { text: { type: "string" }, power: { type: "string" } } },
    execute: (_id, { power, text }) => ({
      content: withText(String(text)),
      isError: power === "last failure",
      terminate: String(power).startsWith("last")
    })
  })
  inputs(pi)
  outputs(pi)
  shells(pi)
  changes(pi)
  for (const name of watched) pi.on(name, ({ type }, ctx) => ctx.ui.notify(`saw ${type}`))
}
