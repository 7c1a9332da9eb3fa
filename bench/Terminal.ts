/** heddle in a real pseudo-terminal: when its prompt is there, and what a long answer costs. */
import * as Proc from "./Proc.ts"
import type { Launch } from "./Host.ts"

export interface Shown {
  /** From the start of the process to the prompt, and to the status line with the model. */
  readonly promptMs: number
  readonly readyMs: number
  /** Of the process tree, 1.5 s later. */
  readonly rss: number
}

const open = ({ command, cwd, env }: Launch) => {
  const started = performance.now()
  const decoder = new TextDecoder()
  const waiting = new Set<() => void>()
  let text = ""
  const terminal = new Bun.Terminal({
    cols: 100,
    rows: 30,
    data: (_, bytes) => {
      text += decoder.decode(bytes, { stream: true })
      for (const check of waiting) check()
    }
  })
  const child = Bun.spawn([...command], { terminal, cwd, env: { ...env, TERM: "xterm-256color", NO_COLOR: "" } })
  /** Milliseconds since the start, when the text is there. */
  const until = (wanted: string, from = 0) =>
    new Promise<number>((resolve, reject) => {
      const check = () => {
        if (!text.includes(wanted, from)) return
        waiting.delete(check)
        resolve(performance.now() - started)
      }
      waiting.add(check)
      void child.exited.then((code) => reject(new Error(`heddle ended with ${code}: ${text}`)))
      check()
    })
  const stop = async () => {
    terminal.write("\u0003\u0003")
    await child.exited
    terminal.close()
  }
  return { pid: child.pid, until, stop, type: (keys: string) => terminal.write(keys), written: () => text.length }
}

export const start = async (launch: Launch): Promise<Shown> => {
  const { pid, stop, until } = open(launch)
  const promptMs = await until("> ")
  const readyMs = await until("offline/")
  await Bun.sleep(1500)
  const rss = Proc.rssMb(pid)
  await stop()
  return { promptMs, readyMs, rss }
}

/** A prompt whose answer ends with `last`. */
export const answer = async (launch: Launch, last: string) => {
  const { pid, stop, type, until, written } = open(launch)
  await until("offline/")
  const before = { cpu: Proc.cpuMs(pid), bytes: written(), ms: performance.now() }
  type("go\r")
  await until(last)
  await until("offline/", written() - 200)
  const cost = {
    ms: performance.now() - before.ms,
    cpu: Proc.cpuMs(pid) - before.cpu,
    kb: (written() - before.bytes) / 1024
  }
  await stop()
  return cost
}
