/** Times from the start of a process to the first text of its answer, whichever way it is asked. */
import type { Launch } from "./Host.ts"
import { bun, env, type Place, repo } from "./Targets.ts"

/** Answered by offline/guide without a tool call. */
const message = "hello"

interface Way {
  readonly args: ReadonlyArray<string>
  /** What is written to stdin, which stays open in rpc mode. */
  readonly input?: string
  /** Whether this output has text of the answer. */
  readonly hasText: (output: string) => boolean
}

const inFrames = (output: string) => output.includes('"text_delta"')

export const ways: Readonly<Record<string, Way>> = {
  "--mode rpc": {
    args: ["--mode", "rpc"],
    input: `${JSON.stringify({ id: 1, type: "prompt", message })}\n`,
    hasText: inFrames
  },
  "-p": { args: ["-p", message], hasText: (output) => output.length > 0 },
  "-p --stream": { args: ["--stream", "-p", message], hasText: (output) => output.length > 0 },
  "--mode json": { args: ["--mode", "json", message], hasText: inFrames }
}

const launch = (place: Place, { args }: Way): Launch => ({
  command: [bun, "run", "--silent", "cli", "--cwd", place.work, "--model", "offline/guide", ...args],
  cwd: repo,
  env: env(place)
})

export const firstText = async (place: Place, way: Way): Promise<number> => {
  const { command, cwd, env } = launch(place, way)
  const started = performance.now()
  const child = Bun.spawn([...command], { cwd, env, stdin: "pipe", stdout: "pipe", stderr: "ignore" })
  if (way.input === undefined) child.stdin.end()
  else {
    child.stdin.write(way.input)
    child.stdin.flush()
  }
  const decoder = new TextDecoder()
  let output = ""
  let ms = NaN
  for await (const chunk of child.stdout) {
    output += decoder.decode(chunk, { stream: true })
    if (!Number.isNaN(ms) || !way.hasText(output)) continue
    ms = performance.now() - started
    child.stdin.end()
  }
  await child.exited
  return ms
}
