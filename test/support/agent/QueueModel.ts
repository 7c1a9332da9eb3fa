/** The queues as the protocol tells them, in as few words as possible: what a real agent is compared with. */
import type * as MessageQueue from "../../../src/domain/conversation/MessageQueue.ts"
import type { QueueMode } from "../../../src/services/Settings.ts"

export type Name = MessageQueue.QueueName
export type Outcome = "stop" | "tools" | "fail"
export type Op =
  | { readonly do: "prompt"; readonly whenBusy?: Name }
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
  readonly early: boolean
}

export const make = () => {
  const queues: Record<Name, Array<Waiting>> = { steering: [], followUp: [] }
  const modes: Record<Name, QueueMode> = { steering: "one-at-a-time", followUp: "one-at-a-time" }
  const said: Array<string> = []
  const ends: Array<string> = []
  let running: Array<string> | undefined
  const deliver = (name: Name, fits: (item: Waiting) => boolean = () => true) => {
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
    for (const name of ["steering", "followUp"] as const)
      queues[name] = queues[name].map((item) => ({ ...item, early: true }))
  }
  const take = () => [...queues.steering.splice(0), ...queues.followUp.splice(0)]
  const nth = (n: number) => {
    const all = [...queues.steering, ...queues.followUp]
    return all.length === 0 ? undefined : all[n % all.length]
  }
  const placeOf = (item: Waiting): Name => (queues.steering.includes(item) ? "steering" : "followUp")
  const put = (queue: Name, name: string, isPrompt: boolean) =>
    queues[queue].push({ name, text: name, isPrompt, early: running === undefined })
  const apply = (op: Op, name: string) => {
    switch (op.do) {
      case "prompt":
        if (running !== undefined) return op.whenBusy === undefined ? undefined : put(op.whenBusy, name, true)
        running = [name]
        said.push(name)
        deliver("steering")
        if (queues.steering.length === 0) deliver("followUp", ({ early }) => early)
        return
      case "enqueue":
        return put(op.queue, name, false)
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
    texts: () => ({
      steering: queues.steering.map(({ text }) => text),
      followUp: queues.followUp.map(({ text }) => text)
    }),
    isRunning: () => running !== undefined,
    /** No run goes on and no prompt is queued (protocol.md 6). */
    isSettled: () => running === undefined && ![...queues.steering, ...queues.followUp].some(({ isPrompt }) => isPrompt)
  }
}
