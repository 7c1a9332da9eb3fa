/** Dialogs of extensions: how they are answered, and how they end without an answer. */
import { assert } from "@effect/vitest"
import { at, dialog, type Frame, notes, type Pipes, play, resultOf } from "../../support/extensions/Pipes.ts"

const asker = { extensions: ["kind/asker.ts"] }

const withdrawn = (id: unknown) => (frame: Frame) => dialog("cancel")(frame) && frame["targetId"] === id

/** Asks by command; answers the request, and what the extension got. */
const asked = async (
  { mark, prompt, until }: Pipes,
  question: { readonly method: string } & Readonly<Record<string, unknown>> & Readonly<Record<string, unknown>>
) => {
  const before = mark()
  const done = prompt(`/ask ${JSON.stringify(question)}`)
  const request = await until(dialog(question.method), before)
  return { request, answer: async () => notes(await done) }
}

/** Asks, and answers with this reply. */
const replied = async (pipes: Pipes, method: string, reply: object) => {
  const { answer, request } = await asked(pipes, { method })
  pipes.host.send({ type: "extension_ui_response", id: request["id"], ...reply })
  return answer()
}

play("dialogs are answered, cancelled, or answered in the wrong way", asker, async (pipes) => {
  const { until } = pipes
  assert.deepStrictEqual(await replied(pipes, "select", { value: "two" }), ['"two"'])
  assert.deepStrictEqual(await replied(pipes, "select", { value: "three" }), ['"three"'])
  assert.deepStrictEqual(await replied(pipes, "confirm", { confirmed: true }), ["true"])
  assert.deepStrictEqual(await replied(pipes, "input", { value: "Grace" }), ['"Grace"'])
  assert.deepStrictEqual(await replied(pipes, "editor", { value: "a\nb" }), ['"a\\nb"'])
  const { id: _, ...shown } = await until(dialog("input"))
  assert.deepInclude(shown, { title: "Name?", placeholder: "Ada" })

  assert.deepStrictEqual(await replied(pipes, "select", { cancelled: true }), ["undefined"])
  assert.deepStrictEqual(await replied(pipes, "confirm", { cancelled: true }), ["false"])
  assert.deepStrictEqual(await replied(pipes, "editor", { cancelled: true, timedOut: true }), ["undefined"])

  assert.deepStrictEqual(await replied(pipes, "select", { confirmed: true }), ["undefined"])
  assert.deepStrictEqual(await replied(pipes, "confirm", { value: "yes" }), ["false"])
  assert.deepStrictEqual(await replied(pipes, "input", { value: 42 }), ["undefined"])
  assert.deepStrictEqual(await replied(pipes, "input", {}), ["undefined"])
})

play("a dialog ends by its time, by a signal, and with the run that asked", asker, async (pipes) => {
  const { ask, host, mark, prompt, stateMs, until } = pipes
  const late = await asked(pipes, { method: "confirm", timeout: 50 })
  assert.strictEqual(late.request["timeout"], 50)
  assert.deepStrictEqual(await late.answer(), ["false"])
  await until(withdrawn(late.request["id"]))

  const aborted = await asked(pipes, { method: "select", abortAfter: 50 })
  assert.deepStrictEqual(await aborted.answer(), ["undefined"])
  await until(withdrawn(aborted.request["id"]))

  const before = mark()
  host.send({ type: "extension_ui_response", id: late.request["id"], confirmed: true })
  host.send({ type: "extension_ui_response", id: "ui_nobody", confirmed: true })

  const run = prompt('CALL ask_me {"method":"confirm"}')
  const { id } = await until(dialog("confirm"), before)
  assert.isBelow(await stateMs(), 500)
  const fibers = await ask({ type: "get_fibers" })
  assert.include(JSON.stringify(fibers), '"kind":"dialog"')
  await ask({ type: "abort" })
  await until(withdrawn(id))
  const frames = await run
  assert.deepInclude(frames.at(-1), { type: "prompt_result", status: "aborted" })
  assert.isTrue(resultOf(frames.find(({ type }) => type === "tool_execution_end")).isError)
  assert.deepStrictEqual(notes(await prompt("/show")), ["careful"])
})

play("what is only shown needs no answer", { ...asker, env: { PI_RPC_EMIT_TITLE: "1" } }, async ({ prompt, until }) => {
  const frames = await prompt("/show")
  await until(dialog("notify"))
  const shown = frames
    .filter(({ type }) => type === "extension_ui_request")
    .map(({ epoch: _epoch, id: _id, seq: _seq, sessionId: _session, type: _type, ...rest }) => rest)
  assert.deepStrictEqual(shown, [
    { method: "setStatus", statusKey: "s", statusText: "busy" },
    { method: "setStatus", statusKey: "s" },
    { method: "setWidget", widgetKey: "w", widgetLines: ["one", "two"] },
    { method: "setTitle", title: "a title" },
    { method: "set_editor_text", text: "a text" },
    { method: "notify", message: "careful", notifyType: "warning" }
  ])
})

play("the end of the input answers what is open with its default", asker, async (pipes) => {
  const { request } = await asked(pipes, { method: "confirm" })
  assert.strictEqual(await pipes.end(), 0)
  assert.include(pipes.host.stderr(), "answer: false")
  assert.isUndefined(pipes.since(0).find(withdrawn(request["id"])))
})

play("SIGTERM withdraws what is open", asker, async (pipes) => {
  const { request } = await asked(pipes, { method: "select" })
  assert.strictEqual((await pipes.signal("SIGTERM")).code, 143)
  assert.isDefined(pipes.since(0).find(withdrawn(request["id"])))
})

play("--no-ui: nobody is asked", { ...asker, args: ["--no-ui"] }, async ({ host, prompt, since }) => {
  await prompt('/ask {"method":"confirm"}')
  await host.untilStderr(/answer: false/)
  assert.deepStrictEqual(
    since(0).filter((frame) => at(frame, "type") === "extension_ui_request"),
    []
  )
})
