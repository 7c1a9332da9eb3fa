/** Single frames, or many of a kind, that are as large, deep or numerous as the input allows. */
import * as Agent from "../../support/torture/Agent.ts"
import * as Heddle from "../../support/torture/Heddle.ts"

export interface Giant {
  readonly args?: (place: Heddle.Place) => ReadonlyArray<string>
  /** Answers what was wrong, if anything was. */
  readonly play: (agent: Agent.Agent) => Promise<string | undefined>
  /** Where the attack itself is a stored value of many megabytes, that much more is allowed. */
  readonly ownMb?: number
}

const mib = 1024 * 1024

/** Written as text: no program should have to build such a value to send it. */
const line = (head: string, body: string, tail: string) => `${head}${body}${tail}\n`
const nestedText = (levels: number) => `${"[".repeat(levels)}1${"]".repeat(levels)}`

/** Sends a line and expects any one response, and that the agent then answers as before. */
const oneAnswer =
  (text: () => string, ms = 10_000) =>
  async (agent: Agent.Agent): Promise<string | undefined> => {
    const answer = agent.next((frame) => frame["type"] === "response", ms)
    void agent.write(text())
    return (await answer) === undefined ? `no response in ${ms} ms` : undefined
  }

/** Sends frames that get no response; the agent has only to live. */
const noAnswer = (text: () => string) => async (agent: Agent.Agent) => {
  await agent.write(text())
  return undefined
}

const callsHostTool = {
  atEnd: "repeat",
  turns: [{ steps: [{ toolCall: { name: "ask_host", arguments: {} } }] }, { steps: [{ text: "thanks" }] }]
}
const hostTool = {
  type: "set_host_tools",
  tools: [{ name: "ask_host", description: "asks", parameters: { type: "object" } }]
}

/** A model calls a tool of the host, which answers with `result`; the prompt must end. */
const hostAnswers = (result: string) => async (agent: Agent.Agent) => {
  const registered = await agent.request(hostTool)
  if (registered?.["success"] !== true) return `the host tool is refused: ${JSON.stringify(registered)}`
  const called = agent.next((frame) => frame["type"] === "host_tool_call")
  const ended = agent.next((frame) => frame["type"] === "prompt_result", 20_000)
  void agent.send({ id: "p", type: "prompt", message: "go" })
  const call = await called
  if (call === undefined) return "no host_tool_call"
  await agent.write(`{"type":"host_tool_result","id":${JSON.stringify(call["id"])},"result":${result}}\n`)
  return (await ended) === undefined ? "no prompt_result" : undefined
}

const scripted = (scenario: object) => (place: Heddle.Place) => Heddle.script(place, scenario)

/** A model calls a tool with arguments that no schema asked for. */
const modelCalls = (rawArguments: string, updates: string): Giant => ({
  args: (place) => [
    ...Heddle.script(place, {
      atEnd: "repeat",
      turns: [{ steps: [{ toolCall: { name: "read", rawArguments }, chunk: 4096 }] }, { steps: [{ text: "done" }] }]
    }),
    "--rpc-updates",
    updates
  ],
  play: async (agent) => {
    const ended = agent.next((frame) => frame["type"] === "prompt_result", 20_000)
    void agent.send({ id: "p", type: "prompt", message: "go" })
    return (await ended) === undefined ? "no prompt_result" : undefined
  }
})

const followUps = async (agent: Agent.Agent) => {
  const before = agent.bytes()
  const count = 8000
  let answers = 0
  const last = agent.next((frame) => frame["type"] === "response" && ++answers === count, 60_000)
  const text = "x".repeat(70)
  void agent.write(
    Array.from({ length: count }, (_, n) => `{"id":${n},"type":"follow_up","message":"${text}${n}"}\n`).join("")
  )
  if ((await last) === undefined) return `${answers} of ${count} follow_up were answered within 60 s`
  const written = (agent.bytes() - before) / mib
  return written > 100 ? `${count} follow-ups made ${written.toFixed(0)} MiB of output` : undefined
}

export const giants: Readonly<Record<string, Giant>> = {
  "63-mib-of-objects": {
    play: oneAnswer(() => line('{"id":1,"type":"get_state","x":[', "{},".repeat(21 * mib), "{}]}"), 30_000)
  },
  "63-mib-of-digits": {
    play: oneAnswer(() => line('{"id":1,"type":"get_state","x":[', "1,".repeat(31 * mib), "1]}"), 30_000)
  },
  "63-mib-string": {
    play: oneAnswer(() => line('{"id":1,"type":"get_state","x":"', "x".repeat(63 * mib), '"}'), 30_000)
  },
  "63-mib-escapes": {
    play: oneAnswer(() => line('{"id":1,"type":"get_state","x":"', "\\u00e4".repeat(10 * mib), '"}'), 30_000)
  },
  "100-mib-line": {
    play: oneAnswer(() => line('{"id":1,"type":"get_state","x":"', "x".repeat(100 * mib), '"}'), 30_000)
  },
  "deep-command": { play: oneAnswer(() => line('{"id":1,"type":"prompt","message":', nestedText(1_000_000), "}")) },
  "deep-name": { play: oneAnswer(() => line('{"id":1,"type":"set_session_name","name":', nestedText(40_000), "}")) },
  "deep-host-tool": {
    play: async (agent) => {
      const refused = await oneAnswer(() =>
        line(
          '{"type":"set_host_tools","tools":[{"name":"d","description":"d","parameters":{"a":',
          nestedText(40_000),
          "}}]}"
        )
      )(agent)
      if (refused !== undefined) return refused
      return (await agent.request({ type: "get_state", verbose: true }, 10_000)) === undefined
        ? "no verbose state"
        : undefined
    }
  },
  "deep-host-result": {
    args: scripted(callsHostTool),
    play: hostAnswers(`{"content":[{"type":"text","text":"x"}],"details":{"a":${nestedText(40_000)}}}`)
  },
  "blocks-of-a-host-result": {
    args: scripted(callsHostTool),
    play: hostAnswers(`{"content":[${Array.from({ length: 40_000 }, () => '{"type":"text","text":"x"}').join()}]}`)
  },
  "deep-arguments-delta": modelCalls(`{"path":${nestedText(40_000)}}`, "delta"),
  "deep-arguments-full": modelCalls(`{"path":${nestedText(40_000)}}`, "full"),
  "many-images": {
    play: oneAnswer(() =>
      line(
        '{"id":1,"type":"prompt","message":"x","images":[',
        Array.from({ length: 40_000 }, () => '{"type":"image","data":"AAAA","mimeType":"image/png"}').join(),
        "]}"
      )
    )
  },
  "answers-of-no-call": {
    play: noAnswer(() => '{"type":"host_tool_result","id":"x","result":{"content":[]}}\n'.repeat(50_000))
  },
  "blank-lines": { play: noAnswer(() => "\n".repeat(5_000_000)) },
  "8000-follow-ups": { play: followUps }
}
