/**
 * `--more`: many extensions, of each only whether it loads, lets a prompt through and ends cleanly. more.json lists
 * them with the commands and tools that they have in pi; it leaves out those with native builds.
 */
import { join } from "node:path"
import { at, brief, list } from "./host/Frames.ts"
import * as Host from "./host/Host.ts"
import * as Place from "./host/Place.ts"
import * as ChatModel from "../support/ChatModel.ts"
import * as Npm from "./install/Npm.ts"
import { expect, same } from "./Package.ts"
import * as Report from "./Report.ts"
import { type Context, reasonOf } from "./Runner.ts"

export interface Seen {
  readonly commands: ReadonlyArray<string>
  readonly tools: ReadonlyArray<string>
}

export type Candidate = Seen & ({ readonly npm: string } | { readonly example: string })

export interface Outcome {
  readonly number: number
  readonly candidate: Candidate
  readonly seen: Seen
  readonly reason: string | undefined
}

const canary = { file: join(import.meta.dirname, "canary.ts"), command: "compat-canary" }
const builtIn = new Set(["read", "bash", "edit", "write", "grep", "find", "ls"])
const dialogs = new Set(["select", "confirm", "input", "editor"])

/** Nobody is there to answer: every dialog is cancelled. */
const cancelDialogs = async (host: Host.Host) => {
  const seen = new Set<Host.Frame>()
  const isOpen = (frame: Host.Frame) =>
    frame["type"] === "extension_ui_request" && dialogs.has(String(frame["method"])) && !seen.has(frame)
  for (;;) {
    const frame = await host.until(isOpen, { from: 0, what: "a dialog", ms: 60_000 })
    seen.add(frame)
    host.send({ type: "extension_ui_response", id: frame["id"], cancelled: true })
  }
}

/** Some commands of pi are extensions that it brings itself. */
const isForeign = (command: unknown) =>
  at(command, "source") === "extension" && at(command, "sourceInfo", "source") !== "builtin"

const drive = async (host: Host.Host, model: ChatModel.ChatModel): Promise<Seen> => {
  void cancelDialogs(host).catch(() => undefined)
  await host.request({ type: "get_state" }, 30_000)
  const listed = list(at(await host.request({ type: "get_commands" }), "data", "commands")).filter(isForeign)
  const commands = listed.map((command) => String(at(command, "name"))).toSorted()
  const from = host.frames.length
  const response = await host.request({ type: "prompt", message: "hello" })
  expect(response["success"] === true, `the prompt was refused: ${brief(response["error"])}`)
  if (at(response, "data", "disposition") !== "handled")
    await host.until(({ type }) => type === "agent_settled", { from, what: "the end of the run" })
  const errors = host.frames.filter(({ type }) => type === "extension_error")
  expect(errors.length === 0, `extension_error: ${brief(errors[0]?.["error"], 240)}`)
  expect(commands.includes(canary.command), "the host does not load the extension that was given with it")
  same(await host.end(), { code: 0, signal: null }, "the exit after the end of stdin")
  same(host.impure, [], "what stdout has beside frames")
  const tools = new Set(model.requests.flatMap((request) => request.tools)).difference(builtIn)
  return { commands: commands.filter((name) => name !== canary.command), tools: [...tools].toSorted() }
}

/** What pi shows and this host does not. */
export const missing = (wanted: Seen, seen: Seen): string | undefined => {
  const commands = wanted.commands.filter((name) => !seen.commands.includes(name)).map((name) => `/${name}`)
  const lacks = [...commands, ...wanted.tools.filter((name) => !seen.tools.includes(name))]
  return lacks.length === 0 ? undefined : `in pi it has also ${lacks.join(", ")}`
}

export const tryOne = async (candidate: Candidate, number: number, context: Context): Promise<Outcome> => {
  const model = ChatModel.start()
  const place = Place.make(join(context.root, `${number}`))
  Place.nameModel(place, model.baseUrl)
  let host: Host.Host | undefined
  try {
    const entry =
      "npm" in candidate
        ? await Npm.install(candidate.npm, place.packages)
        : join(await context.examples(), candidate.example)
    host = Host.start(context.target(place, ["-e", entry, "-e", canary.file]))
    const seen = await drive(host, model)
    return { number, candidate, seen, reason: missing(candidate, seen) }
  } catch (error) {
    return { number, candidate, seen: { commands: [], tools: [] }, reason: reasonOf(error) }
  } finally {
    await host?.end()
    model.stop()
  }
}

/** Of an extension without a command or a tool there is nothing to see but that it does no harm. */
const verdict = ({ reason, seen }: Outcome) => {
  if (reason !== undefined) return "FAILS"
  return seen.commands.length + seen.tools.length === 0 ? "silent" : "loads"
}

export const table = (outcomes: ReadonlyArray<Outcome>): string =>
  Report.table(
    ["#", "package", "", "commands", "tools", "reason"],
    outcomes.map((outcome) => [
      `${outcome.number}`,
      "npm" in outcome.candidate ? outcome.candidate.npm : `example ${outcome.candidate.example}`,
      verdict(outcome),
      `${outcome.seen.commands.length}`,
      `${outcome.seen.tools.length}`,
      outcome.reason ?? ""
    ])
  )

/** The text of more.json, with what was seen. */
export const record = (outcomes: ReadonlyArray<Outcome>): string => {
  const lines = outcomes.map(({ candidate, seen }) => `  ${JSON.stringify({ ...candidate, ...seen })}`)
  return `[\n${lines.join(",\n")}\n]\n`
}
