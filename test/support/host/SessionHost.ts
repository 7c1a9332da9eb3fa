/** Several processes of the real command on the sessions of one folder, one after the other or at the same time. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import * as HostProcess from "./HostProcess.ts"

const { answer, scenario } = HostProcess

export const place = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "heddle-sessions-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

export type Opened = (args: ReadonlyArray<string>, command?: ReadonlyArray<string>) => Promise<HostProcess.HostProcess>

/** Starts processes that end with the test; the script answers "Hello!" to everything unless told otherwise. */
export const sessions = (name: string, body: (open: Opened, folder: string) => Promise<void>) =>
  it.scopedLive(name, () =>
    Effect.gen(function* () {
      const folder = yield* place
      const runtime = yield* Effect.runtime<Effect.Effect.Context<ReturnType<typeof HostProcess.open>>>()
      const open: Opened = (args, command) => {
        const model = args.includes("--model") ? [] : ["--model", "offline/script"]
        const script = args.includes("--set") ? [] : ["--set", `offline.scenario=${scenario("hello")}`]
        const started = HostProcess.open({
          args: ["--offline", "--rpc-updates", "delta", ...model, ...script, ...args],
          env: { HEDDLE_AGENT_DIR: folder },
          ...(command === undefined ? {} : { command })
        })
        return Effect.runPromise(Effect.provide(started, runtime))
      }
      yield* Effect.promise(() => body(open, folder))
    })
  )

export const prompt = async (host: HostProcess.HostProcess, id: string, message = id) => {
  host.send({ id, type: "prompt", message })
  await host.until((frame) => frame["type"] === "prompt_result" && frame["id"] === id)
}

export const ask = async (host: HostProcess.HostProcess, id: string, name: string) => {
  host.send({ id, type: name })
  const { data } = await host.until(answer(id))
  return JSON.parse(JSON.stringify(data))
}

export const close = (host: HostProcess.HostProcess) => {
  host.closeInput()
  return host.exited
}

export const lines = (file: string): ReadonlyArray<Record<string, unknown>> =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
