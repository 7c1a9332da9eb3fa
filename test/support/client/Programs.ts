/** Programs that speak the protocol badly, as real processes. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { RpcClient, type RpcClientOptions } from "../../../src/client/index.ts"

/**
 * In `body`, `say` writes a frame, `raw` writes text or bytes, and `on(type, answer)` gets commands. `initialize` is answered
 * unless the body does.
 */
const prelude = `
const handlers = {}
const on = (type, answer) => { handlers[type] = answer }
const raw = (data) => process.stdout.write(data)
const say = (...frames) => raw(frames.map((frame) => JSON.stringify(frame) + "\\n").join(""))
const ok = ({ id, type }, data) => say({ id, type: "response", command: type, success: true, ...(data ? { data } : {}) })
const no = ({ id, type }, error, code) => say({ id, type: "response", command: type, success: false, error, code })
on("initialize", (frame) => ok(frame, { protocolVersion: 1 }))
let tail = ""
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  const lines = (tail + chunk).split("\\n")
  tail = lines.pop()
  for (const frame of lines.map((line) => JSON.parse(line))) handlers[frame.type]?.(frame)
})
`

export interface Played {
  readonly client: RpcClient
  /** Messages and the beginnings of lines that `onProtocolError` got. */
  readonly problems: ReadonlyArray<readonly [string, string | undefined]>
}

/** Starts the program under a client, and ends both. */
export const play = async (
  body: string,
  test: (played: Played) => Promise<void>,
  options: RpcClientOptions = {}
): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-program-"))
  const file = join(folder, "program.mjs")
  writeFileSync(file, prelude + body)
  const client = new RpcClient({ command: [process.execPath, file], requestTimeoutMs: 5000, ...options })
  const problems: Array<readonly [string, string | undefined]> = []
  client.onProtocolError(({ line, message }) => problems.push([message, line]))
  try {
    await test({ client, problems })
  } finally {
    await client.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
