/** A program of an embedder. It prints what it got, and runs the same on Node and on Bun. */
import { createServer } from "node:http"
import { Effect, Stream } from "effect"
import { Content, Heddle, type HostTools } from "heddle"
import { ScriptedModel } from "heddle/testing"

const clock: HostTools.HostTool = {
  name: "clock",
  description: "Tells the time.",
  parameters: { type: "object", properties: { zone: { type: "string" } }, required: ["zone"] },
  call: ({ zone }) => Effect.succeed({ content: [Content.text(`noon in ${String(zone)}`)] })
}

const parrot = Heddle.provider({
  id: "parrot",
  stream: ({ messages }) => Heddle.answerOf(Stream.make("I was sent ", `${messages.length} message(s).`))
})

/** A host tool, the shell and a search, called by a scripted model. The results are what the model was sent. */
const withTools = Effect.gen(function* () {
  const script = yield* ScriptedModel.make([
    ScriptedModel.call(
      ["a", "clock", { zone: "Utrecht" }],
      ["b", "bash", { command: "echo shell" }],
      ["c", "grep", { pattern: "we[^ ]+t", path: "cloth.txt" }]
    ),
    ScriptedModel.say("Done")
  ])
  const agent = Heddle.layer({ provider: script.provider, hostTools: [clock], tools: ["bash", "grep"] })
  const answer = yield* Effect.provide(Heddle.ask("What time is it?"), agent)
  const [, second] = yield* script.requests
  const results = (second?.messages ?? []).flatMap((message) =>
    message.role === "toolResult" ? [Content.plainText(message.content).trim()] : []
  )
  return { answer, results: results.toSorted() }
})

const events = [
  { type: "message_start", message: { id: "msg_1", role: "assistant", content: [], usage: { input_tokens: 3 } } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Warp and weft." } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
  { type: "message_stop" }
]

/** The SDK of the provider, over HTTP. */
const overHttp = Effect.gen(function* () {
  const server = yield* Effect.acquireRelease(
    Effect.async<ReturnType<typeof createServer>>((resume) => {
      const created = createServer((request, response) => {
        request.resume()
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""))
      })
      created.listen(0, "127.0.0.1", () => resume(Effect.succeed(created)))
    }),
    (listening) =>
      Effect.sync(() => listening.closeAllConnections()).pipe(Effect.zipRight(Effect.sync(() => listening.close())))
  )
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const model = { model: "anthropic/claude-haiku-4-5", apiKey: "sk-test", baseUrl: `http://127.0.0.1:${port}` }
  return yield* Effect.provide(Heddle.ask("What is cloth?"), Heddle.layer(model))
}).pipe(Effect.scoped)

const program = Effect.all({
  stream: Effect.provide(Heddle.ask("Hello"), Heddle.layer({ provider: parrot })),
  tools: withTools,
  model: overHttp
})

Effect.runPromise(program).then(
  (got) => process.stdout.write(`${JSON.stringify(got)}\n`),
  (error: unknown) => {
    process.exitCode = 1
    process.stderr.write(`${String(error)}\n`)
  }
)
