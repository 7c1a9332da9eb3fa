import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { ToolCall } from "../../../../../src/domain/conversation/Content.ts"
import { type Message, userMessage } from "../../../../../src/domain/conversation/Message.ts"
import type { ThinkingLevel } from "../../../../../src/domain/model/Model.ts"
import type { Compat } from "../../../../../src/layers/models/providers/Protocol.ts"
import * as AnthropicRequest from "../../../../../src/layers/models/protocols/anthropic/AnthropicRequest.ts"
import * as ChatRequest from "../../../../../src/layers/models/protocols/openai/ChatRequest.ts"
import * as ResponsesRequest from "../../../../../src/layers/models/protocols/openai/ResponsesRequest.ts"
import * as Thinking from "../../../../../src/layers/models/protocols/request/Thinking.ts"
import type { ModelRequest } from "../../../../../src/services/model/ModelClient.ts"
import { defaults } from "../../../../../src/services/Settings.ts"
import { budgets, assistant, chat, model, request, responses, result } from "../support.ts"

const textOf = {
  anthropic: (asked: ModelRequest, _compat: Compat) => JSON.stringify(AnthropicRequest.body(budgets)(asked)),
  responses: (asked: ModelRequest, compat: Compat) => JSON.stringify(ResponsesRequest.body(asked, compat)),
  chat: (asked: ModelRequest, compat: Compat) => JSON.stringify(ChatRequest.body(asked, compat))
}
const Unknowns = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const Body = Schema.Struct({ messages: Schema.optional(Schema.Array(Unknowns)) }, Unknowns)
const parse = Schema.decodeSync(Schema.parseJson(Body))

const call = (id: string): ToolCall => ({ type: "toolCall", id, name: "read", arguments: { path: id } })
const picture = { type: "image", data: "AAAA", mimeType: "image/png" } as const
const conversation = (api: string): ReadonlyArray<Message> => [
  userMessage("look", [picture], 0),
  assistant(
    [
      { type: "thinking", thinking: "hm", thinkingSignature: "sig" },
      { type: "text", text: "ok" },
      call("t1"),
      call("t2")
    ],
    { api }
  ),
  result("t1", "one"),
  { ...result("t2", "two", true), content: [{ type: "text", text: "two" }, picture] },
  userMessage("go on", [], 0)
]
const cached = { cache_control: { type: "ephemeral" } }

describe("anthropic-messages", () => {
  it("the whole body", () => {
    const body = parse(textOf.anthropic(request({ messages: conversation("anthropic-messages") }), {}))
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }
    assert.deepStrictEqual<unknown>(body, {
      model: "m1",
      max_tokens: 64_000,
      stream: true,
      thinking: { type: "disabled" },
      tools: [{ name: "read", description: "Reads", input_schema: { type: "object", properties: {} }, ...cached }],
      system: [{ type: "text", text: "Be brief.", ...cached }],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "look" },
            { ...image, ...cached }
          ]
        },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "hm", signature: "sig" },
            { type: "text", text: "ok" },
            { type: "tool_use", id: "t1", name: "read", input: { path: "t1" } },
            { type: "tool_use", id: "t2", name: "read", input: { path: "t2" } }
          ]
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "one" }] },
            { type: "tool_result", tool_use_id: "t2", content: [{ type: "text", text: "two" }, image], is_error: true },
            { type: "text", text: "go on", ...cached }
          ]
        }
      ]
    })
  })

  it("every turn begins with the bytes of the one before, and has at most four cache marks", () => {
    const turns = Array.from({ length: 6 }, (_, n) => [
      userMessage(`question ${n}`, n === 2 ? [picture] : [], n),
      assistant([{ type: "thinking", thinking: `hm ${n}`, thinkingSignature: `s${n}` }, call(`dup`)]),
      result("dup", `answer ${n}`),
      assistant([{ type: "text", text: `said ${n}` }])
    ])
    const unmarked = (text: string) => text.replaceAll(`,"cache_control":{"type":"ephemeral"}`, "")
    let before = ""
    for (let n = 1; n <= turns.length; n++) {
      const messages = [...turns.slice(0, n).flat(), userMessage("now", [], 9)]
      const body = textOf.anthropic(request({ messages: messages.slice(0, -1) }), {})
      assert.isAtMost(body.split("cache_control").length - 1, 4)
      assert.isTrue(unmarked(body).startsWith(before))
      before = unmarked(body).slice(0, -"]}".length)
    }
  })

  const rows: ReadonlyArray<readonly [string, ThinkingLevel, number, Thinking.AnthropicThinking]> = [
    ["claude-sonnet-4-5", "off", 64_000, { style: "disabled" }],
    ["claude-sonnet-4-5", "minimal", 64_000, { style: "budget", budget: 1024 }],
    ["claude-opus-4-20250514", "medium", 64_000, { style: "budget", budget: 8192 }],
    ["claude-3-7-sonnet-20250219", "high", 64_000, { style: "budget", budget: 16_384 }],
    ["claude-haiku-4-5-20251001", "high", 8192, { style: "budget", budget: 7168 }],
    ["claude-haiku-4-5", "low", 2000, { style: "disabled" }],
    ["claude-opus-4-6", "minimal", 64_000, { style: "adaptive", effort: "low" }],
    ["claude-sonnet-5", "medium", 64_000, { style: "adaptive", effort: "medium" }],
    ["anthropic/claude-opus-5.5", "max", 64_000, { style: "adaptive", effort: "high" }],
    ["claude-mythos-preview", "high", 64_000, { style: "adaptive", effort: "high" }]
  ]
  it.each(rows)("%s at %s", (id, level, maxTokens, expected) => {
    assert.deepStrictEqual(Thinking.anthropic(model({ id, maxTokens }), level, budgets), expected)
  })

  it("levels a model names are sent as it names them; one that does not think is not asked to", () => {
    const mapped = model({ id: "claude-opus-5", thinkingLevelMap: { xhigh: "xhigh", max: "max", medium: null } })
    const levels = (["medium", "xhigh", "max"] as const).map((level) => Thinking.anthropic(mapped, level, budgets))
    assert.deepStrictEqual(
      levels,
      (["high", "xhigh", "max"] as const).map((effort) => ({ style: "adaptive", effort }))
    )
    assert.deepStrictEqual(Thinking.anthropic(model({ reasoning: false }), "high", budgets), { style: "none" })
  })

  it("the settings say how many tokens a level has, as far as the model can answer that many", () => {
    const mine = Thinking.budgets({ ...defaults, "thinkingBudgets.medium": 12_000, "thinkingBudgets.high": 70_000 })
    const at = (level: ThinkingLevel, maxTokens: number) =>
      Thinking.anthropic(model({ id: "claude-sonnet-4-5", maxTokens }), level, mine)
    assert.deepStrictEqual(at("medium", 64_000), { style: "budget", budget: 12_000 })
    assert.deepStrictEqual(at("high", 64_000), { style: "budget", budget: 62_976 })
    assert.deepStrictEqual(at("low", 64_000), { style: "budget", budget: 2048 })
    assert.deepStrictEqual(Thinking.anthropic(model({ id: "claude-sonnet-5" }), "medium", mine), {
      style: "adaptive",
      effort: "medium"
    })
  })
})

describe("openai-responses", () => {
  it("the whole body, with reasoning replayed as it came", () => {
    const item = {
      id: "rs_1",
      type: "reasoning",
      encrypted_content: "enc",
      summary: [{ type: "summary_text", text: "hm" }]
    }
    const own = assistant(
      [
        { type: "thinking", thinking: "hm", thinkingSignature: JSON.stringify(item) },
        { type: "thinking", thinking: "lost", thinkingSignature: "{" },
        { type: "text", text: "ok", textSignature: "commentary" },
        call("t1")
      ],
      { api: responses.api }
    )
    const target = model({ api: responses.api, thinkingLevelMap: { xhigh: "xhigh" } })
    const messages = [userMessage("look", [picture], 0), own, result("t1", "")]
    const body = parse(textOf.responses(request({ model: target, messages, thinkingLevel: "xhigh" }), {}))
    assert.deepStrictEqual<unknown>(body, {
      model: "m1",
      stream: true,
      store: false,
      prompt_cache_key: "session-1",
      max_output_tokens: 64_000,
      include: ["reasoning.encrypted_content"],
      reasoning: { effort: "xhigh", summary: "auto" },
      tools: [
        {
          type: "function",
          name: "read",
          description: "Reads",
          parameters: { type: "object", properties: {} },
          strict: false
        }
      ],
      input: [
        { role: "developer", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "input_text", text: "look" },
            { type: "input_image", detail: "auto", image_url: "data:image/png;base64,AAAA" }
          ]
        },
        item,
        { role: "assistant", content: "ok", phase: "commentary" },
        { type: "function_call", call_id: "t1", name: "read", arguments: '{"path":"t1"}' },
        { type: "function_call_output", call_id: "t1", output: "(no output)" }
      ]
    })
  })
})

describe("openai-completions", () => {
  const target = model({ api: chat.api })
  const bodyFor = (compat: Compat, level: ThinkingLevel = "off") =>
    parse(textOf.chat(request({ model: target, messages: conversation(chat.api), thinkingLevel: level }), compat))

  it("the whole body", () => {
    const url = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }
    const tool = (id: string) => ({ id, type: "function", function: { name: "read", arguments: `{"path":"${id}"}` } })
    assert.deepStrictEqual<unknown>(bodyFor({}), {
      model: "m1",
      stream: true,
      max_completion_tokens: 64_000,
      messages: [
        { role: "developer", content: "Be brief." },
        { role: "user", content: [{ type: "text", text: "look" }, url] },
        { role: "assistant", content: "ok", tool_calls: [tool("t1"), tool("t2")] },
        { role: "tool", tool_call_id: "t1", content: "one" },
        { role: "tool", tool_call_id: "t2", content: "two" },
        { role: "user", content: [{ type: "text", text: "Images from the tool results:" }, url] },
        { role: "user", content: "go on" }
      ],
      tools: [
        {
          type: "function",
          function: {
            name: "read",
            description: "Reads",
            parameters: { type: "object", properties: {} },
            strict: false
          }
        }
      ],
      stream_options: { include_usage: true },
      store: false,
      prompt_cache_key: "session-1"
    })
  })

  it("what a server cannot take is left out", () => {
    const body = bodyFor(
      {
        supportsStore: false,
        supportsDeveloperRole: false,
        supportsReasoningEffort: false,
        supportsUsageInStreaming: false,
        supportsStrictMode: false,
        maxTokensField: "max_tokens",
        requiresToolResultName: true,
        requiresAssistantAfterToolResult: true,
        requiresThinkingAsText: true
      },
      "high"
    )
    assert.hasAllKeys(body, ["model", "stream", "max_tokens", "tools", "messages"])
    assert.notInclude(JSON.stringify(body.tools), "strict")
    assert.deepStrictEqual<unknown>(
      body.messages?.map(({ name, role }) => [role, name]),
      [
        ["system", undefined],
        ["user", undefined],
        ["assistant", undefined],
        ["tool", "read"],
        ["tool", "read"],
        ["assistant", undefined],
        ["user", undefined],
        ["user", undefined]
      ]
    )
    assert.deepStrictEqual<unknown>(body.messages?.[2]?.content, "<thinking>\nhm\n</thinking>\nok")
  })

  it("thinking goes back under the name it came by", () => {
    const own = assistant([{ type: "thinking", thinking: "hm", thinkingSignature: "reasoning" }, call("t1")], {
      api: chat.api
    })
    const asked = request({ model: target, messages: [userMessage("a", [], 0), own, result("t1", "r")] })
    const body = parse(textOf.chat(asked, {}))
    const tool_calls = [{ id: "t1", type: "function", function: { name: "read", arguments: '{"path":"t1"}' } }]
    assert.deepStrictEqual<unknown>(body.messages?.[2], {
      role: "assistant",
      content: null,
      tool_calls,
      reasoning: "hm"
    })
  })

  const formats = [
    [undefined, "high", { reasoning_effort: "high" }],
    [undefined, "off", {}],
    ["openrouter", "low", { reasoning: { effort: "low" } }],
    ["openrouter", "off", { reasoning: { effort: "none" } }],
    ["zai", "low", { thinking: { type: "enabled" } }],
    ["deepseek", "off", { thinking: { type: "disabled" } }],
    ["qwen", "low", { enable_thinking: true }],
    ["qwen-chat-template", "off", { chat_template_kwargs: { enable_thinking: false } }]
  ] as const
  it.each(formats)("thinking format %s at %s", (thinkingFormat, level, expected) => {
    const plain = Object.keys(bodyFor({}))
    const body = Object.entries(bodyFor(thinkingFormat === undefined ? {} : { thinkingFormat }, level))
    assert.deepStrictEqual<unknown>(Object.fromEntries(body.filter(([key]) => !plain.includes(key))), expected)
  })
})
