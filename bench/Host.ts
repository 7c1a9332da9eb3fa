/** A host that uses little CPU: it counts `message_update` lines without parsing them, and parses all other lines. */
export interface Launch {
  readonly command: ReadonlyArray<string>
  readonly cwd: string
  readonly env: Record<string, string>
}

export type Frame = Readonly<Record<string, unknown>>
interface Waiter {
  readonly wanted: (frame: Frame) => boolean
  readonly resolve: (frame: Frame) => void
  readonly reject: (error: Error) => void
}

export const isFrame = (value: unknown): value is Frame =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const update = new TextEncoder().encode('{"type":"message_update"')
const patience = 60_000

export const open = (launch: Launch) => {
  const started = performance.now()
  const child = Bun.spawn([...launch.command], {
    cwd: launch.cwd,
    env: launch.env,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe"
  })
  const counted = { bytes: 0, updates: 0 }
  const waiters = new Set<Waiter>()
  const errors = child.stderr.text()
  let pending: Array<Uint8Array> = []
  let ids = 0

  const onLine = (line: Uint8Array) => {
    if (update.every((byte, index) => line[index] === byte)) {
      counted.updates++
      return
    }
    const frame: unknown = JSON.parse(new TextDecoder().decode(line))
    if (!isFrame(frame)) return
    if (frame["type"] === "message_update") counted.updates++
    for (const waiter of waiters) {
      if (!waiter.wanted(frame)) continue
      waiters.delete(waiter)
      waiter.resolve(frame)
    }
  }
  const pump = async () => {
    for await (const chunk of child.stdout) {
      counted.bytes += chunk.length
      let from = 0
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
        const tail = chunk.subarray(from, end)
        onLine(pending.length === 0 ? tail : Buffer.concat([...pending, tail]))
        pending = []
        from = end + 1
      }
      if (from < chunk.length) pending.push(chunk.subarray(from))
    }
    const code = await child.exited
    const how = `ended with ${child.signalCode ?? code}: ${(await errors).slice(-500)}`
    const why = new Error(`${launch.command.join(" ")} ${how}`)
    for (const waiter of waiters) waiter.reject(why)
  }
  const pumping = pump()

  const waitFor = (what: string, wanted: (frame: Frame) => boolean) => {
    const { promise, reject, resolve } = Promise.withResolvers<Frame>()
    const timer = setTimeout(() => reject(new Error(`no ${what} within ${patience} ms`)), patience)
    waiters.add({ wanted, resolve, reject })
    promise.catch(() => {}).finally(() => clearTimeout(timer)) // the caller gets the rejection from `promise`
    return promise
  }
  const write = (text: string) => {
    child.stdin.write(text)
    child.stdin.flush()
  }
  const request = async (command: Frame) => {
    const id = `r${ids++}`
    const answer = waitFor(
      `answer to ${command["type"]}`,
      (frame) => frame["type"] === "response" && frame["id"] === id
    )
    write(`${JSON.stringify({ id, ...command })}\n`)
    const frame = await answer
    if (frame["success"] !== true) throw new Error(`${command["type"]} failed: ${JSON.stringify(frame)}`)
    return frame
  }
  const stop = async () => {
    child.stdin.end()
    const timer = setTimeout(() => child.kill("SIGKILL"), 3000)
    await Promise.all([child.exited, pumping])
    clearTimeout(timer)
  }
  return { pid: child.pid, started, counted, waitFor, write, request, stop }
}

export type Host = ReturnType<typeof open>
