import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import type { Message } from "../../../../../src/domain/conversation/Message.ts"
import { userMessage } from "../../../../../src/domain/conversation/Message.ts"
import * as Usage from "../../../../../src/domain/model/Usage.ts"
import * as PiContext from "../../../../../src/layers/models/providers/foreign/PiContext.ts"
import * as PiMessages from "../../../../../src/layers/models/providers/foreign/PiMessages.ts"
import { interruptedText } from "../../../../../src/layers/models/protocols/request/History.ts"
import * as Loopback from "../../../../support/LoopbackModel.ts"
import { all, assistant, collect, model, request, result, stream } from "../../protocols/support.ts"

const rest = { model: model(), thinkingLevel: "off", sessionId: "s", now: 9 } as const
const toRequest = (context: unknown) => PiContext.toRequest(context, rest)
const call = { type: "toolCall", id: "c1", name: "read", arguments: {} } as const

describe("the context of a request", () => {
  it("has prompt and tools in a system message and beside the messages", () => {
    const { messages, systemPrompt, tools } = request()
    assert.deepStrictEqual(PiContext.ofRequest(request()), {
      systemPrompt,
      tools,
      messages: [{ role: "system", content: systemPrompt, toolsAdded: tools, timestamp: 0 }, ...messages]
    })
  })

  it("has no system message where there is nothing to say", () => {
    const { messages } = PiContext.ofRequest(request({ systemPrompt: "", tools: [] }))
    assert.deepStrictEqual(messages, request().messages)
  })

  it("has a result for every call, and nothing that only another model can read", () => {
    const foreign = assistant([{ type: "thinking", thinking: "hm", thinkingSignature: "s" }, call], { model: "other" })
    const { messages } = PiContext.ofRequest(
      request({ systemPrompt: "", tools: [], messages: [userMessage("hi", [], 0), foreign] })
    )
    assert.deepStrictEqual(messages, [
      userMessage("hi", [], 0),
      { ...foreign, content: [{ type: "text", text: "hm" }, call] },
      result("c1", interruptedText, true)
    ])
  })

  it("comes back as the request that it was", () => {
    const conversation = [userMessage("hi", [], 1), assistant([call]), result("c1", "done"), userMessage("go", [], 2)]
    const asked = request({ ...rest, messages: conversation })
    const { now: _, ...expected } = { ...asked, now: 0 }
    assert.deepStrictEqual(
      toRequest(PiContext.ofRequest(asked)),
      Either.right({ ...request(), ...expected, sessionId: "s" })
    )
  })
})

describe("the context of an extension", () => {
  it("may be as short as pi allows", () => {
    assert.deepStrictEqual(
      toRequest({ messages: [{ role: "user", content: "hi" }] }),
      Either.right({
        model: model(),
        thinkingLevel: "off",
        sessionId: "s",
        systemPrompt: "",
        messages: [userMessage("hi", [], 9)],
        tools: []
      })
    )
  })

  it("may change prompt and tools with system messages", () => {
    const tool = (name: string) => ({ name, description: name, parameters: { type: "object" } })
    const asked = toRequest({
      systemPrompt: "Base.",
      tools: [tool("a"), { name: "b" }],
      messages: [
        {
          role: "system",
          content: [{ type: "text", text: "More." }],
          sections: { x: "X", y: "Y" },
          toolsAdded: [tool("c")]
        },
        { role: "user", content: "hi" },
        { role: "system", content: "", sections: { x: null, y: "Y2" }, toolsRemoved: [{ name: "a" }, 7] }
      ]
    })
    assert.deepStrictEqual(
      Either.map(asked, ({ messages, systemPrompt, tools }) => ({ messages, systemPrompt, tools })),
      Either.right({
        systemPrompt: "Base.\n\nMore.\n\nY2",
        messages: [userMessage("hi", [], 9)],
        tools: [{ name: "b", description: "", parameters: { type: "object" } }, tool("c")]
      })
    )
  })

  const loop: Array<unknown> = []
  loop.push(loop)
  it.each([
    [undefined, "the context: Expected an object"],
    [{}, "messages: Expected an array"],
    [{ messages: "hi" }, "messages: Expected an array"],
    [{ messages: loop }, "messages: nested deeper than 512 levels"],
    [{ messages: [], systemPrompt: 7 }, "systemPrompt: Expected a string"],
    [{ messages: [], tools: {} }, "tools: Expected an array"],
    [{ messages: [], tools: [{ description: "x" }] }, "tools[0].name: is missing"],
    [{ messages: [], tools: [{ name: "x", parameters: { a: 1n } }] }, "tools[0]: holds a BigInt"],
    [
      { messages: [{ role: "system", toolsAdded: [7] }] },
      "toolsAdded[0]: Expected { readonly name: NonEmptyString; readonly description: string; readonly parameters: { readonly [x: string]: unknown } }"
    ]
  ])("is refused with the place of the problem: %#", (context, problem) => {
    assert.deepStrictEqual(toRequest(context), Either.left(problem))
  })
})

const decode = (messages: unknown) => PiMessages.decode(messages, 9)

describe("messages of others", () => {
  it("are put right where they can be", () => {
    const odd = [
      { role: "user", content: "", timestamp: 1, attribution: "x" },
      { role: "assistant", content: "hello" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "t", thinkingSignature: undefined },
          { ...call, arguments: null }
        ],
        usage: { input: 1 },
        stopReason: "deferred",
        errorMessage: undefined,
        timestamp: 3
      },
      { role: "toolResult", toolCallId: "c1", content: "done", details: ["no object"], usage: {}, timestamp: 4 },
      { role: "custom", customType: "note", content: "a note", display: false, timestamp: 5 },
      { role: "bashExecution", command: "ls", output: "", cancelled: false, truncated: false, excludeFromContext: true }
    ]
    const unnamed = { api: "", provider: "", model: "" }
    const expected: ReadonlyArray<Message> = [
      { role: "user", content: [], timestamp: 1 },
      assistant([{ type: "text", text: "hello" }], { ...unnamed, timestamp: 9 }),
      assistant([{ type: "thinking", thinking: "t" }, call], { ...unnamed, usage: Usage.zero, timestamp: 3 }),
      { ...result("c1", "done"), toolName: "", timestamp: 4 },
      userMessage("a note", [], 5)
    ]
    assert.deepStrictEqual(decode(odd), Either.right(expected))
  })

  it.each([
    [[7], "messages[0]"],
    [
      [
        { role: "user", content: "a" },
        { role: "user", content: [{ type: "text" }] }
      ],
      "messages[1]"
    ],
    [[{ role: "nobody", content: "sk-secret-key" }], "messages[0]"]
  ])("are refused where they cannot: %#", (messages, place) => {
    const problem = Either.getOrElse(Either.flip(decode(messages)), () => assert.fail("accepted"))
    assert.isTrue(problem.startsWith(place), problem)
    assert.notInclude(problem, "sk-secret-key")
  })
})

/** What a `context` handler may leave of a conversation: valid messages, in no order that a model would give. */
const leftovers: ReadonlyArray<readonly [string, ReadonlyArray<Message>]> = [
  ["nothing", []],
  ["an answer first", [assistant([{ type: "text", text: "a" }]), userMessage("b", [], 0)]],
  [
    "two answers",
    [userMessage("a", [], 0), assistant([{ type: "text", text: "b" }]), assistant([{ type: "text", text: "c" }])]
  ],
  ["a result without its call", [userMessage("a", [], 0), result("gone", "r")]],
  ["a call without its result", [userMessage("a", [], 0), assistant([call])]],
  [
    "the same message twice",
    [userMessage("a", [], 0), assistant([call]), result("c1", "r"), assistant([call]), result("c1", "r")]
  ],
  ["empty messages", [userMessage("", [], 0), assistant([]), { ...result("c1", ""), content: [] }]],
  [
    "an image that is none",
    [{ role: "user", content: [{ type: "image", data: "%%%", mimeType: "x/y" }], timestamp: 0 }]
  ]
]

describe.each(all)("$name sends what a context handler leaves", ({ name, protocol }) => {
  it.scoped.each(leftovers)("%s", ([, messages]) =>
    Effect.gen(function* () {
      const server = yield* Loopback.make(Loopback.sse(stream(name)))
      const { failure } = yield* collect(protocol, server.baseUrl, { messages })
      assert.isUndefined(failure)
      const sent = JSON.stringify((yield* server.requests.take).body)
      const given = PiContext.ofRequest(request({ messages, model: model({ api: protocol.api }) })).messages
      const calls = given.flatMap((message) =>
        message.role === "assistant"
          ? message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []))
          : []
      )
      const results = given.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : []))
      assert.deepStrictEqual([results, new Set(calls).size], [calls, calls.length])
      // Each id stands in the body twice: with the call, and with its result.
      for (const id of calls) assert.strictEqual(sent.split(`"${id}"`).length, 3, id)
    })
  )
})
