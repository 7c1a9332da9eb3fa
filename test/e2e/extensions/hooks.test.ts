/** Every hook with each of its powers, over real pipes. */
import { assert } from "@effect/vitest"
import { at, dialog, errors, messages, notes, type Pipes, play, sample, text } from "../../support/extensions/Pipes.ts"

const lastTexts = (pipes: Pipes) => pipes.requests.at(-1)?.messages.map((message) => message.text)

const prompts = async (pipes: Pipes) => {
  const { prompt, requests } = pipes
  const before = requests.length
  const swallowed = await prompt("ping")
  assert.deepStrictEqual(notes(swallowed), ["pong to rpc"])
  assert.deepInclude(swallowed.find(({ type }) => type === "response")?.["data"], { disposition: "handled" })
  assert.strictEqual(requests.length, before)

  assert.deepStrictEqual(messages(await prompt("?why"), "user"), ["why, please"])
  assert.strictEqual(lastTexts(pipes)?.at(-1), "why, please")

  const added = await prompt("additions")
  assert.deepStrictEqual(messages(added, "custom"), ["a hint"])
  assert.strictEqual(lastTexts(pipes)?.at(-1), "additions\na hint")
  assert.match(String(requests.at(-1)?.system), /\nBe brief\.$/)

  await prompt("more context")
  assert.strictEqual(lastTexts(pipes)?.at(-1), "more context\nonly for this call")
  await prompt("another payload")
  assert.deepInclude(requests.at(-1)?.body, { user: "somebody" })
  assert.notInclude(JSON.stringify(lastTexts(pipes)), "only for this call")
  assert.notInclude(String(requests.at(-1)?.system), "Be brief.")

  const replaced = await prompt("replace the answer")
  assert.deepStrictEqual(messages(replaced, "assistant"), ["another answer"])
  assert.isDefined(pipes.since(0).find(({ method, statusText }) => method === "setStatus" && statusText === "200"))
}

const gate = sample("kind/hooks.ts")

const tools = async ({ call, prompt }: Pipes) => {
  const blocked = (reason: string) => ({ text: reason, details: {}, isError: true })
  const echo = (power: string) => call("echo", { text: "hello", power })
  assert.deepInclude(await echo(""), { text: "hello", isError: false })
  assert.deepInclude(await echo("change"), { text: "changed by a hook", isError: false })
  assert.deepStrictEqual(await echo("block"), blocked("not today"))
  assert.deepStrictEqual(await echo("block without a reason"), blocked("Tool execution was blocked"))
  assert.deepStrictEqual(await echo("throw"), blocked(`Extension ${gate} failed: the gate is broken`))
  assert.deepStrictEqual(await echo("reject"), blocked(`Extension ${gate} failed: the gate is late and broken`))
  assert.deepStrictEqual(await echo("answer"), { text: "<hello!>", details: { by: "hook" }, isError: true })
  for (const power of ["terminate", "last", "last failure"]) {
    const ended = await prompt(`CALL echo ${JSON.stringify({ text: "x", power })}`)
    assert.deepStrictEqual(messages(ended, "assistant"), [""], power)
  }
}

const shells = async ({ ask }: Pipes) => {
  const run = async (command: string) => {
    const { data } = await ask({ type: "bash", command })
    return [at(data, "output"), at(data, "exitCode")]
  }
  assert.deepStrictEqual(await run("supplied"), ["from a hook", 7])
  const [output, code] = await run("elsewhere")
  assert.match(String(output), /^elsewhere in \/.*work$/)
  assert.deepStrictEqual([code, await run("echo really")], [3, ["really\n", 0]])
}

const compactions = async ({ ask, mark, prompt, since }: Pipes) => {
  await prompt("/veto on")
  assert.deepInclude(await ask({ type: "compact" }), { success: false })
  assert.deepInclude((await ask({ type: "new_session" }))["data"], { cancelled: true })
  const forks = (await ask({ type: "get_fork_messages" }))["data"]
  const entryId = at(forks, "messages", 0, "entryId")
  assert.deepInclude((await ask({ type: "fork", entryId }))["data"], { cancelled: true })
  await prompt("/veto off")
  const before = mark()
  const { data } = await ask({ type: "compact", customInstructions: "as I say" })
  assert.deepInclude(data, { summary: "what I say", details: { n: 2 } })
  assert.deepStrictEqual(notes(since(before)), ["saw session_compact"])
}

const hooked = { extensions: ["kind/hooks.ts"], args: ["--set", "compaction.keepRecentTokens=1"] }

play("hooks change, block and supply", hooked, async (pipes) => {
  await prompts(pipes)
  await tools(pipes)
  assert.deepStrictEqual(errors(pipes.since(0)), [
    ["kind/hooks.ts", "tool_call", "the gate is broken"],
    ["kind/hooks.ts", "tool_call", "the gate is late and broken"]
  ])
  await shells(pipes)
  await compactions(pipes)
  const before = pipes.mark()
  await pipes.ask({ type: "set_thinking_level", level: "high" })
  assert.deepInclude(await pipes.ask({ type: "set_model", provider: "offline", modelId: "guide" }), { success: true })
  await pipes.prompt("go on")
  assert.includeMembers(notes(pipes.since(before)), ["saw model_select", "saw thinking_level_select"])
  assert.strictEqual(await pipes.end(), 0)
})

play(
  "hooks that watch see every event of a run in order",
  { extensions: ["kind/watcher.ts"] },
  async ({ prompt, since, until }) => {
    const frames = await prompt("COUNT 3")
    await until(dialog("notify"))
    const run = "agent_start turn_start message_start message_end message_start message_update message_end turn_end"
    assert.deepStrictEqual(notes(since(0)), [`${run} agent_end agent_settled`])
    assert.strictEqual(
      text(
        at(
          frames.findLast(({ type }) => type === "message_end"),
          "message",
          "content"
        )
      ),
      "1 2 3 OK."
    )
  }
)
