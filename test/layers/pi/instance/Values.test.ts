import { assert, it } from "@effect/vitest"
import { wantText } from "../../../../src/layers/pi/instance/Values.ts"

it("names are texts that are neither empty nor endless", () => {
  assert.strictEqual(wantText("a".repeat(4096), "name"), "a".repeat(4096))
  for (const bad of ["", 1, undefined]) {
    assert.throws(() => wantText(bad, "name"), TypeError, "name must be a text that is not empty")
  }
  assert.throws(() => wantText("a".repeat(4097), "name"), TypeError, "name must have at most 4096 characters")
})
