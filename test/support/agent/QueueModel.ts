/** The queues as the protocol tells them, in as few words as possible: what a real agent is compared with. */
import type * as MessageQueue from "../../../src/domain/conversation/MessageQueue.ts"
import type { SendOptions } from "../../../src/services/Sending.ts"
import type { QueueMode } from "../../../src/services/Settings.ts"

export type Name = MessageQueue.RunQueueName
export type Outcome = "stop" | "tools" | "fail"
export type Op =
  | { readonly do: "prompt"; readonly whenBusy?: Name }
  | { readonly do: "sendUser"; readonly deliverAs?: "steer" | "followUp" }
  | { readonly do: "send"; readonly options: SendOptions }
  | { readonly do: "enqueue"; readonly queue: Name }
  | { readonly do: "model"; readonly outcome: Outcome }
  | { readonly do: "mode"; readonly queue: Name; readonly mode: QueueMode }
  | { readonly do: "remove" | "edit"; readonly nth: number }
  | { readonly do: "promote"; readonly nth: number; readonly to: MessageQueue.Promotion }
  | { readonly do: "abort" | "interrupt" | "clear" }

interface Waiting {
  readonly name: string
  readonly text: string
  readonly isPrompt: boolean
  readonly isCustom: boolean
  readonly early: boolean
}

type Kind = "prompt" | "plain" | "custom"

const names = { steer: "steering", followUp: "followUp" } as const

export const make = () => {
  const queues: Record<MessageQueue.QueueName, Array<Waiting>> = { steering: [], followUp: [], nextTurn: [] }
  const modes: Record<MessageQueue.QueueName, QueueMode> = {
    steering: "one-at-a-time",
    followUp: "one-at-a-time",
    nextTurn: "all"
  }
  /** Custom messages that join the conversation when the run ends. */
  let late: ReadonlyArray<string> = []
  const said: Array<string> = []
  const ends: Array<string> = []
  let running: Array<string> | undefined
  const deliver = (name: MessageQueue.QueueName, fits: (item: Waiting) => boolean = () => true) => {
    let count = 0
    for (let item = queues[name].find(fits); item !== undefined; item = queues[name].find(fits)) {
      queues[name].splice(queues[name].indexOf(item), 1)
      said.push(item.text)
      if (item.isPrompt) running?.push(item.name)
      count++
      if (modes[name] === "one-at-a-time") break
    }
    return count
  }
  const drop = (items: ReadonlyArray<Waiting>) => {
    for (const { isPrompt, name } of items) if (isPrompt) ends.push(`${name}:aborted`)
  }
  const finish = (status: string) => {
    for (const name of running ?? []) ends.push(`${name}:${status}`)
    running = undefined
    said.push(...late)
    late = []
    for (const name of ["steering", "followUp", "nextTurn"] as const)
      queues[name] = queues[name].map((item) => ({ ...item, early: true }))
  }
  const take = () => [...queues.steering.splice(0), ...queues.followUp.splice(0)]
  const all = () => [...queues.steering, ...queues.followUp, ...queues.nextTurn]
  const nth = (n: number) => {
    const items = all()
    return items.length === 0 ? undefined : items[n % items.length]
  }
  const placeOf = (item: Waiting) =>
    (["steering", "followUp"] as const).find((name) => queues[name].includes(item)) ?? "nextTurn"
  const put = (queue: MessageQueue.QueueName, name: string, kind: Kind) =>
    queues[queue].push({
      name,
      text: name,
      isPrompt: kind === "prompt",
      isCustom: kind === "custom",
      early: running === undefined
    })
  const start = (name: string, kind: Kind) => {
    running = kind === "prompt" ? [name] : []
    said.push(name)
    if (kind !== "custom") deliver("nextTurn")
    deliver("steering")
    if (queues.steering.length === 0) deliver("followUp", ({ early }) => early)
  }
  const send = ({ deliverAs = "steer", triggerTurn }: SendOptions, name: string) => {
    if (deliverAs === "nextTurn") return put("nextTurn", name, "custom")
    if (running === undefined) return triggerTurn === true ? start(name, "custom") : said.push(name)
    if (triggerTurn !== false) return put(names[deliverAs], name, "custom")
    late = [...late, name]
  }
  const apply = (op: Op, name: string) => {
    switch (op.do) {
      case "prompt":
        if (running === undefined) return start(name, "prompt")
        return op.whenBusy === undefined ? undefined : put(op.whenBusy, name, "prompt")
      case "sendUser":
        if (running === undefined) return start(name, "plain")
        return op.deliverAs === undefined ? undefined : put(names[op.deliverAs], name, "plain")
      case "send":
        return send(op.options, name)
      case "enqueue":
        return put(op.queue, name, "plain")
      case "model": {
        if (running === undefined) return
        if (op.outcome === "fail") return finish("error")
        const more = deliver("steering")
        if (op.outcome === "stop" && more === 0 && deliver("followUp") === 0) finish("completed")
        return
      }
      case "mode":
        modes[op.queue] = op.mode
        return
      case "abort":
        if (running !== undefined) finish("aborted")
        return drop(take())
      case "interrupt":
        return running === undefined ? undefined : finish("aborted")
      case "clear":
        queues.nextTurn.splice(0)
        return drop(take())
    }
    const item = nth(op.nth)
    if (item === undefined) return
    const queue = placeOf(item)
    const at = queues[queue].indexOf(item)
    if (op.do === "edit") return void queues[queue].splice(at, 1, { ...item, text: `${item.text}!` })
    if (op.do === "promote" && op.to === "steering" && queue === "steering") return
    queues[queue].splice(at, 1)
    if (op.do === "remove") drop([item])
    else if (op.do === "promote" && op.to === "front") queues[queue].unshift(item)
    else queues.steering.push(item)
  }
  return {
    apply,
    said,
    ends,
    /** Those of the user. */
    texts: () => ({
      steering: queues.steering.flatMap(({ isCustom, text }) => (isCustom ? [] : [text])),
      followUp: queues.followUp.flatMap(({ isCustom, text }) => (isCustom ? [] : [text]))
    }),
    allTexts: () => all().map(({ text }) => text),
    isRunning: () => running !== undefined,
    /** No run goes on and no prompt is queued (protocol.md 6). */
    isSettled: () => running === undefined && ![...queues.steering, ...queues.followUp].some(({ isPrompt }) => isPrompt)
  }
}
