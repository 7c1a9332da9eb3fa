/** `ctx` of a slash command: it can change the session, too. Changes run outside the session, because they end it. */
import * as Effect from "effect/Effect"
import { readMessage } from "../../../domain/session/EntryReading.ts"
import { defined } from "../../../domain/Values.ts"
import * as Call from "../../machine/foreign/Call.ts"
import * as Caller from "../../machine/foreign/Caller.ts"
import type { Changed, Refusal } from "../Ports.ts"
import * as Messages from "../api/Messages.ts"
import type { Instance } from "../instance/Instance.ts"
import {
  contentOf,
  type Handler,
  handlerIn,
  isHandler,
  options,
  plainOf,
  textIn,
  wantText
} from "../instance/Values.ts"
import * as Context from "./Context.ts"
import * as SessionReads from "./SessionReads.ts"

/** The session manager that `setup` fills a session with. Its writes are done, in order, when `written` resolves. */
const makeWriter = (instance: Instance) => {
  const { bridge, ports } = instance
  const writes: Array<Promise<unknown>> = []
  const write = (effect: Effect.Effect<unknown, Refusal>) => void writes.push(bridge.run(effect))
  const manager = {
    ...SessionReads.make(instance),
    appendMessage: (value: unknown) => {
      const message = readMessage(plainOf(value), 0)
      if (message === undefined) throw new TypeError("appendMessage: this is no message")
      write(ports.messages.appendMessage(message))
    },
    appendCustomEntry: (type: unknown, data?: unknown) =>
      write(ports.messages.appendEntry(wantText(type, "customType"), data)),
    appendCustomMessageEntry: (type: unknown, content: unknown, display: unknown, details?: unknown) => {
      const shown = contentOf(content)
      if (shown === undefined) throw new TypeError("content must be a text or an array of texts and images")
      const message = { customType: wantText(type, "customType"), content: shown, display: display !== false }
      write(ports.messages.send({ ...message, ...defined({ details: plainOf(details) }) }, {}))
    },
    appendSessionInfo: (name: unknown) => write(ports.changes.rename(wantText(name, "name"))),
    appendLabelChange: (id: unknown, label?: unknown) =>
      write(ports.messages.setLabel(wantText(id, "entryId"), typeof label === "string" ? label : undefined))
  }
  return { manager, written: () => Promise.all(writes) }
}

const inNextSession = async (next: Instance, setup: Handler | undefined, withSession: Handler | undefined) => {
  if (setup !== undefined) {
    const { manager, written } = makeWriter(next)
    await setup(manager)
    await written()
  }
  if (withSession !== undefined) await withSession(replaced(next))
}

/** The context of the session that came after a change, with the means to send messages there. */
const replaced = (next: Instance): object =>
  Object.assign(make(next, Call.make()), {
    sendMessage: async (message: unknown, given?: unknown) => {
      await next.bridge.run(Messages.sending(next, message, given))
    },
    sendUserMessage: async (content: unknown, given?: unknown) => {
      await next.bridge.run(Messages.sendingUser(next, content, given))
    }
  })

const positionOf = (given: unknown) => (options(given)["position"] === "at" ? "at" : "before")

export const make = (instance: Instance, call: Call.Call) => {
  const { bridge, extension, outside, ports } = instance
  const { changes } = ports

  const change = async (method: string, effect: () => Effect.Effect<Changed, Refusal>, given: unknown) => {
    instance.needActive(method)
    const { cancelled } = await outside.bridge.run(Effect.suspend(effect))
    const wanted = options(given)
    if (cancelled || !(isHandler(wanted["setup"]) || isHandler(wanted["withSession"]))) return { cancelled }
    const next = outside.successor(extension)
    if (next === undefined) throw new Error(`${extension.path} did not load in the session that ${method}() opened.`)
    const inNext = (key: string) => Caller.within(next.ports.session, () => handlerIn(wanted, key))
    await inNextSession(next, inNext("setup"), inNext("withSession"))
    return { cancelled }
  }

  const fork = (entryId: unknown, given?: unknown) =>
    change("fork", () => changes.fork(wantText(entryId, "entryId"), positionOf(given)), given)

  return Object.assign(Context.make(instance, call), {
    waitForIdle: () => bridge.run(ports.agent.awaitIdle),
    newSession: (given?: unknown) => {
      const parentSession = textIn(options(given), "parentSession")
      return change("newSession", () => changes.create(defined({ parentSession })), given)
    },
    fork,
    branch: fork,
    switchSession: (path: unknown, given?: unknown) =>
      change("switchSession", () => changes.open(wantText(path, "sessionPath")), given),
    navigateTree: async (targetId: unknown, given?: unknown) => {
      instance.needActive("navigateTree")
      const wanted = options(given)
      const destination = {
        entryId: wantText(targetId, "targetId"),
        summarize: wanted["summarize"] === true,
        ...defined({ customInstructions: textIn(wanted, "customInstructions"), label: textIn(wanted, "label") })
      }
      return outside.bridge.run(changes.navigate(destination))
    },
    reload: async () => {
      instance.needActive("reload")
      await outside.reload(ports.session)
    }
  })
}
