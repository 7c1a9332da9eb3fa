/** What a host does with a published client, on the scripted model: each check has a process of its own. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Failure } from "../host/Host.ts"
import type { Client, ClientClass, Family, Frame } from "./Published.ts"

export interface Place {
  readonly bin: string
  readonly root: string
}

type Scenario = { readonly turns: ReadonlyArray<object>; readonly atEnd?: string }

export interface Check {
  readonly name: string
  readonly of?: Family
  readonly scenario: Scenario
  readonly customTools?: ReadonlyArray<object>
  readonly run: (client: Client, folder: string) => Promise<void>
}

const expect = (what: string, got: unknown, wanted: unknown) => {
  const [shown, right] = [JSON.stringify(got), JSON.stringify(wanted)]
  if (shown !== right) throw new Failure(`${what} is ${shown?.slice(0, 200)}, not ${right}`)
}
const holds = (what: string, isTrue: boolean) => {
  if (!isTrue) throw new Failure(`${what} does not hold`)
}

const call = (name: string, args: object) => ({ toolCall: { name, arguments: args } })
const say = (text: string) => ({ steps: [{ text }] })
const hang = { steps: [{ text: "I am thinking" }, { hang: true }] }

const textOf = (message: Frame | undefined) => JSON.stringify(message?.["content"] ?? "")

/** Resolves with the first event that fits. */
const next = (client: Client, wanted: (event: Frame) => boolean) => {
  const { promise, resolve } = Promise.withResolvers<Frame>()
  const leave = client.onEvent((event) => {
    if (!wanted(event)) return
    leave()
    resolve(event)
  })
  return promise
}
const streaming = (client: Client) => next(client, ({ type }) => type === "message_update")

export const checks: ReadonlyArray<Check> = [
  {
    name: "a prompt with a tool call, its events, and the conversation afterwards",
    scenario: { turns: [{ steps: [call("ls", { path: "." })] }, say("Two files.")] },
    run: async (client) => {
      const events = await client.promptAndWait("What is here?")
      const types = new Set(events.map(({ type }) => type))
      for (const type of [
        "agent_start",
        "turn_start",
        "message_update",
        "tool_execution_start",
        "tool_execution_end",
        "agent_end"
      ])
        holds(`an event ${type}`, types.has(type))
      expect("the last text", await client.getLastAssistantText(), "Two files.")
      const roles = (await client.getMessages()).map(({ role }) => role)
      expect("the conversation", roles, ["user", "assistant", "toolResult", "assistant"])
      const stats = await client.getSessionStats()
      expect("the tool calls", stats["toolCalls"], 1)
    }
  },
  {
    name: "an abort in the middle of an answer, and the next prompt",
    scenario: { turns: [hang, say("Again.")] },
    run: async (client) => {
      const begun = streaming(client)
      await client.prompt("Think")
      await begun
      const idle = client.waitForIdle(10_000)
      await client.abort()
      await idle
      expect("isStreaming", (await client.getState())["isStreaming"], false)
      await client.promptAndWait("Go on")
      expect("the last text", await client.getLastAssistantText(), "Again.")
    }
  },
  {
    name: "steering and a follow-up during a run",
    scenario: {
      turns: [
        { steps: [call("bash", { command: "until [ -e go ]; do read -t 0.02 <> <(:) || true; done" })] },
        say("Steered."),
        say("Followed.")
      ]
    },
    run: async (client, folder) => {
      const running = next(client, ({ type }) => type === "tool_execution_start")
      const idle = client.waitForIdle(20_000)
      await client.prompt("Wait")
      await running
      await client.steer("Be quick")
      await client.followUp("And then?")
      writeFileSync(join(folder, "go"), "")
      await idle
      const said = (await client.getMessages()).map(textOf).join("\n")
      for (const text of ["Be quick", "Steered.", "And then?", "Followed."])
        holds(`${text} in the conversation`, said.includes(text))
    }
  },
  {
    name: "models, thinking and the other switches",
    scenario: { turns: [say("ok")] },
    run: async (client) => {
      const models = await client.getAvailableModels()
      const ids = models.map(({ id, provider }) => `${provider}/${id}`)
      holds("offline/guide among the models", ids.includes("offline/guide"))
      await client.setModel("offline", "guide")
      const { model } = await client.getState()
      expect("the model", Object(model).id, "guide")
      await client.cycleModel()
      await client.setThinkingLevel("off")
      await client.setSteeringMode("all")
      expect("the steering mode", (await client.getState())["steeringMode"], "all")
      await client.setAutoCompaction(false)
      expect("automatic compaction", (await client.getState())["autoCompactionEnabled"], false)
      await client.setAutoRetry(true)
    }
  },
  {
    name: "a shell command, a page, and going to another session and back",
    scenario: { turns: [say("ok")] },
    run: async (client, folder) => {
      const ran = await client.bash("echo hello; exit 3")
      expect("the exit code", ran["exitCode"], 3)
      holds("the output", String(ran["output"]).includes("hello"))
      await client.promptAndWait("Hi")
      const { sessionFile } = await client.getState()
      await client.exportHtml(join(folder, "page.html"))
      holds("the page", readFileSync(join(folder, "page.html"), "utf8").includes("<html"))
      await client.newSession()
      expect("messages of the new session", (await client.getMessages()).length, 0)
      await client.switchSession(String(sessionFile))
      holds("the old conversation", JSON.stringify(await client.getMessages()).includes("Hi"))
    }
  },
  {
    name: "a refused command rejects and says why",
    scenario: { turns: [say("ok")] },
    run: async (client) => {
      const reason = await client.setModel("nobody", "nothing").then(
        () => "accepted",
        (error: unknown) => String(error)
      )
      holds(`a reason in ${reason}`, reason.includes("Model not found"))
    }
  },
  {
    name: "a conversation of megabytes, in chunks",
    of: "omp",
    scenario: { turns: [say("ok")] },
    run: async (client) => {
      const long = "€".repeat(800_000)
      await client.promptAndWait(long)
      holds("the long prompt in the conversation", JSON.stringify(await client.getMessages()).includes(long))
      await client.promptAndWait("And now?")
    }
  },
  {
    name: "a command that heddle does not have is refused at once",
    of: "omp",
    scenario: { turns: [say("ok")] },
    run: async (client) => {
      const started = performance.now()
      const reason = await Object(client)
        .getLoginProviders()
        .catch((error: unknown) => String(error))
      holds(`a reason in ${reason}`, String(reason).includes("Unsupported command"))
      holds("an answer within 5 s", performance.now() - started < 5000)
    }
  },
  {
    name: "a tool of the host",
    of: "omp",
    scenario: { turns: [{ steps: [call("weather", { city: "Graz" })] }, say("Rain.")] },
    customTools: [
      {
        name: "weather",
        description: "The weather of a city.",
        parameters: { type: "object", properties: { city: { type: "string" } } },
        execute: (params: Frame) => `Rain in ${params["city"]}`
      }
    ],
    run: async (client) => {
      await client.promptAndWait("How is it?")
      holds("the result of the tool", JSON.stringify(await client.getMessages()).includes("Rain in Graz"))
    }
  },
  {
    name: "a subagent, seen by the host",
    of: "omp",
    scenario: {
      turns: [
        { steps: [call("task", { agent: "task", tasks: [{ id: "One", description: "d", assignment: "Do it" }] })] },
        { steps: [call("submit_result", { result: "done" })] },
        say("Thanks.")
      ]
    },
    run: async (client) => {
      const seen: Array<unknown> = []
      const of = Object(client)
      expect("the level", await of.setSubagentSubscription("events"), "events")
      of.onSubagentLifecycle(({ status }: Frame) => seen.push(status))
      await client.promptAndWait("Delegate")
      expect("the life of the subagent", seen, ["started", "completed"])
      const { messages } = await of.getSubagentMessages({ subagentId: "0-One" })
      holds("the transcript", JSON.stringify(messages).includes("Do it"))
    }
  }
]

/** Runs one check; answers why it failed. */
export const run = async (check: Check, RpcClient: ClientClass, { bin, root }: Place, family: Family, name: string) => {
  const folder = join(root, name.replaceAll(/\W+/g, "-"))
  mkdirSync(folder, { recursive: true })
  const scenario = join(folder, "scenario.json")
  writeFileSync(scenario, JSON.stringify(check.scenario))
  const client = new RpcClient({
    cliPath: bin,
    ...(family === "omp" ? { command: ["node", bin] } : {}),
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, PI_CODING_AGENT_DIR: join(folder, "agent") },
    args: ["--model", "offline/script", "--set", `offline.scenario=${scenario}`],
    ...(check.customTools === undefined ? {} : { customTools: check.customTools })
  })
  holds("an installed heddle", existsSync(bin))
  try {
    await client.start()
    await check.run(client, folder)
  } finally {
    await client.stop()
  }
}
