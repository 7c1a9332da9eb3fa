import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as PiProvider from "../../../../../src/layers/models/providers/foreign/PiProvider.ts"
import { collectFrom, request } from "../../protocols/support.ts"
import { acme, answer, auth, iterable } from "./support.ts"

describe("what an extension registers", () => {
  it("is taken over as it is, but for what heddle has no use for", () => {
    const config = {
      name: "Acme",
      baseUrl: "http://x",
      api: "openai-completions",
      apiKey: "$KEY",
      headers: { a: "b" },
      authHeader: true,
      compat: { supportsStore: false },
      stream: () => assert.fail("a member of another form of registration"),
      refreshModels: () => [],
      models: [{ id: "a" }, { id: "b", type: "image" }, { id: "c", type: "chat" }, { id: "d", type: undefined }]
    }
    const { refreshModels: _, stream: __, ...kept } = config
    assert.deepStrictEqual<unknown>(PiProvider.configOf(config), {
      ...kept,
      models: [{ id: "a" }, { id: "c", type: "chat" }, { id: "d", type: undefined }]
    })
  })

  it("waits for the key of a login if it has none of its own", () => {
    const oauth = { name: "Acme", login: () => undefined }
    assert.deepStrictEqual<unknown>(
      [PiProvider.configOf({ oauth }), PiProvider.configOf({ oauth, apiKey: "k" })],
      [{ auth: "apiKey" }, { apiKey: "k" }]
    )
  })

  it.each([undefined, null, 7, "acme", [1]])("must be an object: %j", (config) => {
    assert.isUndefined(PiProvider.configOf(config))
  })

  it("keeps what is wrong for the check", () => {
    assert.deepStrictEqual<unknown>(PiProvider.configOf({ streamSimple: "code", models: 7 }), {
      stream: "code",
      models: 7
    })
  })

  it.effect("runs its code, with its own object as this", () =>
    Effect.gen(function* () {
      const config = {
        events: answer(),
        streamSimple(this: { readonly events: ReadonlyArray<unknown> }) {
          return iterable(this.events)
        }
      }
      const stream = PiProvider.configOf(config)?.stream ?? assert.fail("no code")
      const { events, failure } = yield* Effect.scoped(collectFrom(stream(request({ model: acme }), auth)))
      assert.deepStrictEqual([failure, events.at(-1)?._tag], [undefined, "Finished"])
    })
  )
})
