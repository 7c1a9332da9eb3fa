import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck } from "effect"
import * as ByteMask from "../../../../src/layers/machine/secrets/ByteMask.ts"
import * as KnownSecrets from "../../../../src/layers/machine/secrets/KnownSecrets.ts"

const knowing = (...values: ReadonlyArray<string>) => {
  const secrets = KnownSecrets.make()
  values.forEach(secrets.add)
  return secrets
}

describe("mask", () => {
  it.each([
    ["nothing is known", [], "key-12345678"],
    ["it stands in a text", ["key-12345678"], "a [redacted], b"],
    ["it occurs twice, also with what a pattern would take for signs", ["k(.*)+[1]|$"], "[redacted][redacted]"],
    ["another begins with it", ["key-12345678", "key-12345678-longer"], "[redacted] and [redacted]"],
    ["it is spelled as in JSON", ['key-"123"-5678'], '{"a":"[redacted]"}']
  ] as const)("%s", (_, values, expected) => {
    const texts = {
      "key-12345678": "key-12345678",
      "a [redacted], b": "a key-12345678, b",
      "[redacted][redacted]": "k(.*)+[1]|$k(.*)+[1]|$",
      "[redacted] and [redacted]": "key-12345678-longer and key-12345678",
      '{"a":"[redacted]"}': String.raw`{"a":"key-\"123\"-5678"}`
    }
    assert.strictEqual(knowing(...values).mask(texts[expected]), expected)
  })

  it("short values are words", () => {
    assert.strictEqual(knowing("secret", "", "1234567").mask("the secret is 1234567"), "the secret is 1234567")
  })

  it("values that come later count, too", () => {
    const secrets = knowing("key-12345678")
    secrets.mask("")
    secrets.add("key-87654321")
    assert.strictEqual(secrets.mask("key-87654321 key-12345678"), "[redacted] [redacted]")
  })
})

it.effect("sources are asked once, when it matters", () =>
  Effect.gen(function* () {
    const secrets = KnownSecrets.make()
    let asked = 0
    secrets.addSource(
      Effect.sync(() => {
        asked++
        secrets.add("key-12345678")
      })
    )
    assert.strictEqual(asked, 0)
    yield* secrets.collected
    yield* secrets.collected
    assert.deepStrictEqual([asked, secrets.mask("key-12345678")], [1, "[redacted]"])
  })
)

describe("a stream of bytes", () => {
  const through = (pieces: ReadonlyArray<string>, ...values: ReadonlyArray<string>) => {
    const mask = ByteMask.make(ByteMask.compile(values))
    const out = pieces.map((piece) => Buffer.from(mask.push(Buffer.from(piece))).toString())
    return [...out, Buffer.from(mask.end()).toString()]
  }

  it("holds back only what may be a secret", () => {
    assert.deepStrictEqual(through(["plain ", "key", "-12345678 x", "key-"], "key-12345678"), [
      "plain ",
      "",
      "[redacted] x",
      "",
      "key-"
    ])
  })

  it("is masked wherever it is cut", () => {
    const secret = "aab-aab-aac"
    const word = FastCheck.constantFrom(secret, "aab-aab-", "aa", "b", "\n", "größer")
    FastCheck.assert(
      FastCheck.property(FastCheck.array(word), FastCheck.array(FastCheck.nat(200)), (words, cuts) => {
        const bytes = Buffer.from(words.join(""))
        const mask = ByteMask.make(ByteMask.compile([secret]))
        const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((a, b) => a - b), bytes.length]
        const parts = places.slice(1).map((end, n) => Uint8Array.from(mask.push(bytes.subarray(places[n], end))))
        const masked = Buffer.concat([...parts, mask.end()]).toString()
        assert.strictEqual(masked, bytes.toString().replaceAll(secret, "[redacted]"))
      })
    )
  })

  it("a piece may be part of a larger buffer", () => {
    const mask = ByteMask.make(ByteMask.compile(["abc"]))
    const whole = new TextEncoder().encode("--abcabxab--")
    const pieces = [mask.push(whole.subarray(2, 10)), mask.end()]
    assert.deepStrictEqual(
      pieces.map((piece) => new TextDecoder().decode(piece)),
      ["[redacted]abx", "ab"]
    )
  })

  it("costs nothing where no secret is known", () => assert.isUndefined(KnownSecrets.make().stream()))
})
