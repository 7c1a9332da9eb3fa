/** pi-acp, which lets editors with the Agent Client Protocol drive pi, here with heddle in the place of pi. */
import { spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Readable, Writable } from "node:stream"
import * as Npm from "../install/Npm.ts"
import { Failure } from "../host/Host.ts"
import type { Place } from "./Checks.ts"

export const spec = "pi-acp@0.0.34"

interface Message {
  readonly id?: number
  readonly method?: string
  readonly result?: unknown
  readonly error?: unknown
  readonly params?: unknown
}

const lines = async function* (stream: AsyncIterable<Uint8Array>) {
  const decoder = new TextDecoder()
  let rest = ""
  for await (const chunk of stream) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n")
    rest = parts.pop() ?? ""
    yield* parts.filter((line) => line.trim() !== "")
  }
}

const isMessage = (value: unknown): value is Message => typeof value === "object" && value !== null

/** A client of the protocol that allows everything: enough to see answers and updates. */
const connect = (command: ReadonlyArray<string>, env: Record<string, string>, cwd: string) => {
  const [program = "", ...args] = command
  const child = spawn(program, args, { env, cwd, stdio: ["pipe", "pipe", "ignore"] })
  const output = Writable.toWeb(child.stdin).getWriter()
  const pending = new Map<number, (message: Message) => void>()
  const updates: Array<string> = []
  let ids = 0
  const send = (message: object) =>
    void output.write(new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`))
  const pump = async () => {
    for await (const line of lines(Readable.toWeb(child.stdout))) {
      const message: unknown = JSON.parse(line)
      if (!isMessage(message)) continue
      if (message.method === "session/update") updates.push(JSON.stringify(message.params))
      else if (message.method !== undefined && message.id !== undefined) send({ id: message.id, result: {} })
      else if (message.id !== undefined) pending.get(message.id)?.(message)
    }
    for (const answer of pending.values()) answer({ error: "pi-acp has ended" })
  }
  void pump()
  const request = async (method: string, params: object) => {
    const id = ++ids
    const { promise, resolve } = Promise.withResolvers<Message>()
    pending.set(id, resolve)
    send({ id, method, params })
    const late = setTimeout(() => resolve({ error: `no answer to ${method}` }), 20_000)
    const { error, result } = await promise
    clearTimeout(late)
    pending.delete(id)
    if (error !== undefined) throw new Failure(`${method}: ${JSON.stringify(error)}`)
    return Object(result)
  }
  return { request, send, updates, stop: () => child.kill("SIGKILL") }
}

/** A session with two prompts, of which the second is cancelled. */
export const run = async ({ bin, root }: Place) => {
  const folder = join(root, "acp")
  mkdirSync(folder, { recursive: true })
  const turns = [
    { steps: [{ text: "Looking." }, { toolCall: { name: "ls", arguments: { path: "." } } }] },
    { steps: [{ text: "Two files.", chunk: 10 }] },
    { steps: [{ text: "Thinking" }, { hang: true }] }
  ]
  writeFileSync(join(folder, "scenario.json"), JSON.stringify({ turns }))
  const settings = { "offline.scenario": join(folder, "scenario.json") }
  mkdirSync(join(folder, "agent"), { recursive: true })
  writeFileSync(join(folder, "agent/settings.json"), JSON.stringify(settings))
  writeFileSync(join(folder, "pi"), `#!/bin/sh\nexec node '${bin}' --model offline/script "$@"\n`, { mode: 0o755 })
  const adapter = join(await Npm.install(spec, join(root, "pi-acp")), "dist/index.js")
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    PI_CODING_AGENT_DIR: join(folder, "agent"),
    PI_ACP_PI_COMMAND: join(folder, "pi")
  }
  const { request, send, stop, updates } = connect(["node", adapter], env, folder)
  try {
    await request("initialize", { protocolVersion: 1, clientCapabilities: {} })
    const { sessionId } = await request("session/new", { cwd: folder, mcpServers: [] })
    const prompt = (text: string) => request("session/prompt", { sessionId, prompt: [{ type: "text", text }] })
    const { stopReason } = await prompt("What is here?")
    if (stopReason !== "end_turn") throw new Failure(`the first prompt stopped with ${stopReason}`)
    for (const part of ["agent_message_chunk", "tool_call", "Two files."])
      if (!updates.some((update) => update.includes(part))) throw new Failure(`no update has ${part}`)
    const before = updates.length
    const second = prompt("Think")
    while (updates.length === before || !updates.some((update) => update.includes("Thinking")))
      await new Promise(setImmediate)
    send({ method: "session/cancel", params: { sessionId } })
    const cancelled = await second
    if (cancelled.stopReason !== "cancelled")
      throw new Failure(`a cancelled prompt stopped with ${cancelled.stopReason}`)
  } finally {
    stop()
  }
}
