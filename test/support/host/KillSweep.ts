/**
 * A scripted session with everything that can be queued, edited, moved, removed and handed back, killed with SIGKILL
 * after any line that it has written; and the check of what the session has when it is opened again.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import * as HostProcess from "./HostProcess.ts"

const { answer, type } = HostProcess

/** A message that the script has sent: by its id in the script, which is also its text until it is edited. */
interface Sent {
  readonly id: string
  readonly messageId: string | undefined
  readonly texts: ReadonlyArray<string>
  /** Whether it may have left the queue undelivered, and whether the host was told that it has. */
  readonly mayBeGone: boolean
  readonly isGone: boolean
}

export interface Killed {
  /** Lines that the host had read when the process was gone. */
  readonly lines: number
  /** What is not as it was acknowledged; empty if all is well. */
  readonly faults: ReadonlyArray<string>
}

const sending = ["prompt", "steer", "follow_up"]

const say = (text: string) => ({ steps: [{ text }] })

const scenario = (flag: string) => {
  const command = `until [ -e ${flag} ]; do sleep 0.02; done; echo waited`
  const waits = { steps: [{ toolCall: { name: "bash", arguments: { command } } }] }
  const answers = Array.from({ length: 6 }, (_, n) => say(`answer ${n}`))
  return { turns: [waits, ...answers, { steps: [{ text: "begun" }, { hang: true }] }], atEnd: "stay" }
}

type Command = Readonly<Record<string, string>>

/** Sends one command after the other, and remembers them. Each waits for the answer to the one before. */
const makeHost = (host: HostProcess.HostProcess) => {
  const commands: Array<Command> = []
  const send = async (command: Command) => {
    commands.push(command)
    host.send(command)
    const { data } = await host.until(answer(command["id"] ?? ""))
    return JSON.parse(JSON.stringify(data ?? {}))
  }
  return { commands, send }
}

const play = async (host: HostProcess.HostProcess, send: ReturnType<typeof makeHost>["send"], release: () => void) => {
  const queue = async (command: string, id: string, more: Command = {}): Promise<string> =>
    (await send({ type: command, id, message: id, clientMessageId: `c-${id}`, ...more })).messageId
  const done = (id: string) => host.until((frame) => frame["type"] === "prompt_result" && frame["id"] === id)
  // On a session without a file.
  await queue("steer", "s1")
  await queue("follow_up", "f1")
  await queue("prompt", "p1")
  await host.until(type("tool_execution_start"))
  await queue("steer", "s2")
  const s3 = await queue("steer", "s3")
  const f2 = await queue("follow_up", "f2")
  const f3 = await queue("follow_up", "f3")
  await queue("prompt", "q1", { streamingBehavior: "steer" })
  const q2 = await queue("prompt", "q2", { streamingBehavior: "followUp" })
  const q3 = await queue("prompt", "q3", { streamingBehavior: "followUp" })
  await queue("follow_up", "f4")
  await send({ type: "edit_queued_message", id: "edit", messageId: s3, message: "s3 edited" })
  await send({ type: "remove_queued_message", id: "remove", messageId: f2 })
  await send({ type: "remove_queued_message", id: "remove-prompt", messageId: q3 })
  await send({ type: "promote_queued_message", id: "promote", messageId: f3 })
  await send({ type: "promote_queued_message", id: "front", messageId: q2, to: "front" })
  release()
  await done("p1")
  await queue("prompt", "p2")
  await host.until((frame) => frame["type"] === "message_update" && JSON.stringify(frame).includes("begun"))
  await queue("steer", "s5")
  await queue("prompt", "q4", { streamingBehavior: "followUp" })
  await send({ type: "abort", id: "abort" })
  await queue("follow_up", "f6")
  await send({ type: "clear_queue", id: "clear" })
  await queue("follow_up", "f7")
  await queue("steer", "s6")
}

const removals: Readonly<Record<string, ReadonlyArray<string>>> = {
  remove: ["f2"],
  "remove-prompt": ["q3"],
  abort: ["s5", "q4"],
  clear: ["f6"]
}

/** What the host knows, from what it has sent and read. */
const knowledge = (commands: ReadonlyArray<Command>, frames: ReadonlyArray<HostProcess.Frame>) => {
  const answers = new Map(
    frames.flatMap((frame) => (frame["type"] === "response" ? [[frame["id"], frame] as const] : []))
  )
  const asked = new Set(commands.map(({ id }) => id))
  const gone = (id: string, isKnown: (removal: string) => boolean) =>
    Object.entries(removals).some(([removal, ids]) => ids.includes(id) && isKnown(removal))
  const aborted = new Set(
    frames.flatMap((frame) =>
      frame["type"] === "prompt_result" && frame["agentInvoked"] === false ? [String(frame["id"])] : []
    )
  )
  const edits = asked.has("edit") ? ["s3 edited", ...(answers.has("edit") ? [] : ["s3"])] : ["s3"]
  const sent = commands.flatMap(({ id = "", type: name = "" }): ReadonlyArray<Sent> => {
    if (!sending.includes(name)) return []
    const { data } = JSON.parse(JSON.stringify(answers.get(id) ?? {}))
    return [
      {
        id,
        messageId: data?.messageId,
        texts: id === "s3" ? edits : [id],
        mayBeGone: gone(id, (removal) => asked.has(removal)),
        isGone: gone(id, (removal) => answers.has(removal)) || aborted.has(id)
      }
    ]
  })
  const isQuiet = commands.every(({ id }) => answers.has(id))
  const order = frames.findLast(({ type: name }) => name === "queue_update")
  return { sent, order: isQuiet ? JSON.parse(JSON.stringify(order?.["items"] ?? [])) : undefined }
}

interface Found {
  readonly id: unknown
  readonly text: string
  readonly where: string
}

/** The messages in the conversation and in the queue, as a host finds them after a new start. */
const look = async (host: HostProcess.HostProcess) => {
  const { send } = makeHost(host)
  const { entries } = await send({ type: "get_entries", id: "entries" })
  const { items } = await send({ type: "get_queue", id: "queue" })
  const { queuedMessageCount } = await send({ type: "get_state", id: "state" })
  const found: Array<Found> = []
  for (const { message, messageId, type: name } of entries) {
    if (name !== "message" || message.role !== "user") continue
    found.push({ id: messageId, text: message.content[0].text, where: "the conversation" })
  }
  for (const { messageId, text } of items) found.push({ id: messageId, text, where: "the queue" })
  const announced = items.length === 0 || (await host.until(type("queue_update"))) !== undefined
  return { found, items, isConsistent: announced && queuedMessageCount === items.length }
}

const faultsOf = ({ id, isGone, mayBeGone, messageId, texts }: Sent, found: ReadonlyArray<Found>) => {
  const here = found.filter((one) => (messageId === undefined ? texts.includes(one.text) : one.id === messageId))
  const places = here.map(({ text, where }) => `"${text}" in ${where}`).join(" and ")
  if (here.length > 1) return [`${id} is there more than once: ${places}`]
  if (isGone) return here.length === 0 ? [] : [`${id} was removed and is ${places}`]
  if (here.length === 0) return messageId === undefined || mayBeGone ? [] : [`${id} was acknowledged and is lost`]
  return here.every(({ text }) => texts.includes(text)) ? [] : [`${id} has become ${places}`]
}

const check = (
  known: ReturnType<typeof knowledge>,
  { found, isConsistent, items }: Awaited<ReturnType<typeof look>>
) => {
  const faults = known.sent.flatMap((sent) => faultsOf(sent, found))
  if (!isConsistent) faults.push("state, queue and queue_update differ")
  const ids = (list: ReadonlyArray<{ readonly messageId: string }>) => list.map(({ messageId }) => messageId)
  const left: ReadonlyArray<string> = ids(items)
  // What was delivered in the last instant is missing in front of the rest.
  const expected: ReadonlyArray<string> = ids(known.order ?? items).filter((id) => left.includes(id))
  if (expected.join() !== left.join()) faults.push(`the order was ${expected.join()} and is ${left.join()}`)
  return faults
}

const place = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "heddle-kill-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** Plays the script, kills the process after its `at`-th line (or at the end of the script), and opens the session again. */
export const killAt = (at: number, command?: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const folder = yield* place
    const flag = join(folder, "go")
    const file = join(folder, "scenario.json")
    writeFileSync(file, JSON.stringify(scenario(flag)))
    const args = ["--offline", "--model", "offline/script", "--set", `offline.scenario=${file}`]
    const options = {
      ...(command === undefined ? {} : { command }),
      args: [...args, "--rpc-updates", "delta", "--session", join(folder, "session.jsonl")]
    }
    const host = yield* HostProcess.open(options)
    const kill = () => {
      if (host.lines.length >= at) host.child.kill("SIGKILL")
    }
    host.child.stdout?.on("data", kill)
    const { commands, send } = makeHost(host)
    yield* Effect.promise(async () => {
      await play(host, send, () => writeFileSync(flag, "")).catch(() => {})
      host.child.kill("SIGKILL")
      await host.exited
    })
    // A tool that still waits ends.
    writeFileSync(flag, "")
    const known = knowledge(commands, host.frames())
    const again = yield* HostProcess.open(options)
    const killed: Killed = {
      lines: host.lines.length,
      faults: check(known, yield* Effect.promise(() => look(again)))
    }
    return killed
  }).pipe(Effect.scoped)

/** Kills at each of the given lines, and tells where something was lost, doubled or came back. */
export const sweep = (at: ReadonlyArray<number>, command?: ReadonlyArray<string>) =>
  Effect.map(
    Effect.forEach(at, (line) =>
      Effect.map(killAt(line, command), ({ faults }) => faults.map((fault) => `after line ${line}: ${fault}`))
    ),
    (faults) => faults.flat()
  )

/** The number of lines that the whole script writes. */
export const lineCount = Effect.map(killAt(Number.POSITIVE_INFINITY), ({ lines }) => lines)
