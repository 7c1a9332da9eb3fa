/** Questions to the user over real pipes, asked by the tool `ask`. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as HostProcess from "../support/host/HostProcess.ts"

const { answer, type } = HostProcess
type Frame = HostProcess.Frame

const question = { id: "q", question: "Which?", options: [{ label: "one" }, { label: "two" }] }
const asking = {
  turns: [
    { steps: [{ toolCall: { id: "t1", name: "ask", arguments: { questions: [question] } } }] },
    { steps: [{ text: "done" }] }
  ]
}

/** A process whose model asks one question. */
const open = (...args: ReadonlyArray<string>) =>
  Effect.flatMap(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "heddle-ask-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
    ),
    (folder) => {
      const scenario = join(folder, "scenario.json")
      writeFileSync(scenario, JSON.stringify(asking))
      return HostProcess.open({
        args: ["--model", "offline/script", "--set", `offline.scenario=${scenario}`, "--no-session", ...args]
      })
    }
  )

const isQuestion = (frame: Frame) => frame["type"] === "extension_ui_request" && frame["method"] === "select"
const withdrawals = (host: HostProcess.HostProcess) =>
  host.frames().filter((frame) => frame["type"] === "extension_ui_request" && frame["method"] === "cancel")
const result = (host: HostProcess.HostProcess) => host.until(type("tool_execution_end"))

const play = (name: string, args: ReadonlyArray<string>, body: (host: HostProcess.HostProcess) => Promise<void>) =>
  it.scopedLive(name, () =>
    Effect.flatMap(open(...args), (host) =>
      Effect.promise(() => {
        host.send({ id: "p", type: "prompt", message: "go" })
        return body(host)
      })
    )
  )

play("a question is answered", [], async (host) => {
  const asked = await host.until(isQuestion)
  assert.match(String(asked["id"]), /^ui_\w+$/)
  host.send({ type: "extension_ui_response", id: asked["id"], value: "two" })
  assert.deepInclude(await result(host), {
    isError: false,
    result: {
      content: [{ type: "text", text: "The user selected: two" }],
      details: { question: "Which?", options: ["one", "two"], multi: false, selectedOptions: ["two"] }
    }
  })
  await host.until(type("session_settled"))
  host.closeInput()
  assert.deepStrictEqual(await host.exited, { code: 0, signal: null })
})

play("the end of the input ends the question, without a frame about it", [], async (host) => {
  await host.until(isQuestion)
  host.closeInput()
  assert.deepStrictEqual(await host.exited, { code: 0, signal: null })
  assert.deepStrictEqual(withdrawals(host), [])
  assert.deepInclude(host.frames().find(type("prompt_result")), { id: "p", status: "aborted" })
})

play("with --drain the run goes on with the default", ["--drain"], async (host) => {
  await host.until(isQuestion)
  host.closeInput()
  assert.deepStrictEqual(await host.exited, { code: 0, signal: null })
  assert.deepInclude(await result(host), { isError: false })
  assert.deepInclude(host.frames().find(type("prompt_result")), { id: "p", status: "completed" })
})

play("SIGTERM withdraws the question", [], async (host) => {
  const asked = await host.until(isQuestion)
  host.child.kill("SIGTERM")
  assert.deepStrictEqual(await host.exited, { code: 143, signal: null })
  const [withdrawn, ...more] = withdrawals(host)
  assert.deepInclude(withdrawn, { targetId: asked["id"] })
  assert.deepStrictEqual(more, [])
})

play("--no-ui: nobody is asked", ["--no-ui"], async (host) => {
  assert.deepInclude(await result(host), { isError: true })
  await host.until(type("session_settled"))
  host.send({ id: "g", type: "get_state", verbose: true })
  assert.notInclude(JSON.stringify(await host.until(answer("g"))), '"name":"ask"')
  assert.notInclude(host.lines.join("\n"), "extension_ui_request")
})
