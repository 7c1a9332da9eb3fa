import { assert, describe, it } from "@effect/vitest"
import * as BaseUrl from "../../../src/domain/model/BaseUrl.ts"

describe("an address as people see it", () => {
  it.each([
    ["https://api.example.com/v1", "https://api.example.com/v1"],
    ["https://bob:secret@api.example.com/v1", "https://[redacted]@api.example.com/v1"],
    ["https://token@api.example.com", "https://[redacted]@api.example.com"],
    ["https://bob:a@b@api.example.com/@team/v1", "https://[redacted]@api.example.com/@team/v1"],
    ["https://api.example.com/@team/v1", "https://api.example.com/@team/v1"],
    ["https://bob:a/b@api.example.com", "https://[redacted]@api.example.com"],
    ["https://x.test/v1?key=abc&api-version=2#top", "https://x.test/v1?key=[redacted]&api-version=2#top"],
    ["https://x.test/v1?a=1&b=&c", "https://x.test/v1?a=[redacted]&b=[redacted]&c"],
    ["", ""]
  ])("%s", (url, shown) => assert.strictEqual(BaseUrl.mask(url), shown))
})

describe("what it hides", () => {
  it.each([
    ["https://api.example.com/v1?version=3", []],
    ["https://bob:p%40ss@x.test", ["bob:p%40ss", "bob:p@ss", "p%40ss", "p@ss"]],
    ["https://token%zz@x.test", ["token%zz"]],
    ["https://x.test?key=a%2Bb+c", ["a%2Bb+c", "a+b+c"]]
  ] as const)("%s", (url, hidden) => assert.deepStrictEqual(BaseUrl.secretsOf(url), [...hidden]))
})

it("a query stays a query below the address", () => {
  assert.deepStrictEqual(BaseUrl.split("https://x.test/v1/?key=a%20b&n=1"), {
    address: "https://x.test/v1",
    query: { key: "a b", n: "1" }
  })
  assert.strictEqual(BaseUrl.below("https://x.test/v1/?key=a", "/models"), "https://x.test/v1/models?key=a")
  assert.strictEqual(BaseUrl.below("https://x.test/v1", "/models"), "https://x.test/v1/models")
})
