/** A scan must say what reading everything says, or nothing. */
import { assert, it } from "@effect/vitest"
import { FastCheck as fc, Option } from "effect"
import * as SessionScan from "../../../src/layers/session/SessionScan.ts"
import * as SessionSummaries from "../../../src/layers/session/SessionSummaries.ts"
import * as SessionText from "../../../src/layers/session/SessionText.ts"
import { bytes, files, header } from "./plainFiles.ts"

const scan = (given: Uint8Array) => {
  const found = SessionText.currentHeader(given)
  return found === undefined ? undefined : SessionScan.scan(given, found)
}

const read = (given: Uint8Array) => {
  const decoded = SessionText.decode(given)
  if (decoded._tag !== "Session") return assert.fail(decoded._tag)
  return SessionSummaries.factsOf({ ...decoded, entries: decoded.entries, file: Option.none() })
}

it("says what reading everything says", () => {
  fc.assert(
    fc.property(files, (text) => assert.deepStrictEqual(scan(bytes(text)), read(bytes(text)))),
    { numRuns: 300 }
  )
})

it("says it of a file that is cut anywhere, or nothing", () => {
  const whole = fc.sample(files, { numRuns: 20, seed: 7 }).toSorted((a, b) => b.length - a.length)[0] ?? ""
  const all = bytes(whole)
  let told = 0
  for (let length = whole.indexOf("\n") + 1; length <= all.length; length++) {
    const cut = all.subarray(0, length)
    const seen = scan(cut)
    if (seen === undefined) continue
    told += 1
    assert.deepStrictEqual(seen, read(cut))
  }
  assert.strictEqual(told, whole.split("\n").length - 1)
})

it("says nothing of files in another version, or that are none", () => {
  for (const first of [{ ...header, version: 2 }, { ...header, version: 4 }, { ...header, type: "x" }, "s"]) {
    assert.isUndefined(scan(bytes(`${JSON.stringify(first)}\n`)))
  }
})
