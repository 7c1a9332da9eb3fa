/** Models that do harm, for the real process: a scenario of the test's own, or an Anthropic server on loopback. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import * as LoopbackModel from "../LoopbackModel.ts"
import type { HostOptions } from "./HostProcess.ts"

export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "heddle-hostile-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Plays this scenario. */
export const script = (
  scenario: object,
  ...args: ReadonlyArray<string>
): Effect.Effect<HostOptions, never, Scope.Scope> =>
  Effect.map(folder, (path) => {
    const file = join(path, "scenario.json")
    writeFileSync(file, JSON.stringify(scenario))
    return { args: ["--offline", "--model", "offline/script", "--set", `offline.scenario=${file}`, ...args] }
  })

const event = (data: Readonly<Record<string, unknown>>) => `event: ${data["type"]}\ndata: ${JSON.stringify(data)}\n\n`
const begin = event({
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    content: [],
    usage: { input_tokens: 1, output_tokens: 1 }
  }
})
const end = (stop_reason: string) =>
  event({ type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 1 } }) +
  event({ type: "message_stop" })

const block = (index: number, content_block: object, deltas: ReadonlyArray<object>) => [
  event({ type: "content_block_start", index, content_block }),
  ...deltas.map((delta) => event({ type: "content_block_delta", index, delta })),
  event({ type: "content_block_stop", index })
]

export interface Call {
  readonly id: string
  readonly name: string
  /** The raw JSON of the arguments, in pieces. */
  readonly json: ReadonlyArray<string>
}

/** An answer that asks for these calls. */
export const calls = (...all: ReadonlyArray<Call>): LoopbackModel.Answer =>
  LoopbackModel.sse(
    begin,
    ...all.flatMap(({ id, json, name }, index) =>
      block(
        index,
        { type: "tool_use", id, name, input: {} },
        json.map((partial_json) => ({ type: "input_json_delta", partial_json }))
      )
    ),
    end("tool_use")
  )

export const says = (...texts: ReadonlyArray<string>): LoopbackModel.Answer =>
  LoopbackModel.sse(
    begin,
    ...texts.flatMap((text, index) => block(index, { type: "text", text: "" }, [{ type: "text_delta", text }])),
    end("end_turn")
  )

/** An answer that says this, waits for the test, and breaks off. */
export const breaksOff = (text: string, ...before: ReadonlyArray<LoopbackModel.Part>): LoopbackModel.Answer => {
  const [start = "", said = ""] = block(0, { type: "text", text: "" }, [{ type: "text_delta", text }])
  return LoopbackModel.sse(begin, start, said, ...before, LoopbackModel.cut)
}

/** For a host whose model is this server. */
export const options = ({ baseUrl }: LoopbackModel.LoopbackModel, ...args: ReadonlyArray<string>): HostOptions => ({
  args: ["--model", "anthropic/claude-haiku-5-5", "--set", "retry.enabled=false", ...args],
  env: { ANTHROPIC_BASE_URL: baseUrl, ANTHROPIC_API_KEY: "sk-ant-test" }
})

/** The text cut into pieces of this size. */
export const pieces = (text: string, size: number): ReadonlyArray<string> =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size))
