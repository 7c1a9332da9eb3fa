import { assert, it } from "vitest"
import * as Npm from "./install/Npm.ts"
import * as Options from "./Options.ts"
import * as Report from "./Report.ts"

const plain = { target: "heddle", only: [], more: false, clients: false, keep: false, record: false }

it.each([
  ["", plain],
  ["--target pi --only 3,7 --keep", { ...plain, target: "pi", only: [3, 7], keep: true }],
  ["--more --only 40", { ...plain, more: true, only: [40] }],
  ["--clients --keep", { ...plain, clients: true, keep: true }],
  ["--more --target pi --record", { ...plain, more: true, target: "pi", record: true }]
])("reads `%s`", (line, wanted) =>
  assert.deepStrictEqual<unknown>(
    Options.read(
      line.split(" ").filter((word) => word !== ""),
      12
    ),
    wanted
  )
)

it.each([
  ["--target omp", "There is no target omp."],
  ["--only 13", "--only takes numbers from 1 to 12."],
  ["--only x", "--only takes numbers from 1 to 12."],
  ["--record", "--record needs all of --more with pi."],
  ["--clients --more", "--clients takes no option but --keep."],
  ["--what", "Unknown option '--what'"]
])("refuses `%s`", (line, wanted) => {
  const read = Options.read(line.split(" "), 12)
  assert.include(typeof read === "string" ? read.split("\n")[0] : "it was accepted", wanted)
})

it.each([
  ["pi-pomodoro@1.2.0", "pi-pomodoro"],
  ["@samfp/pi-memory@1.5.0", "@samfp/pi-memory"],
  ["@samfp/pi-memory", "@samfp/pi-memory"]
])("the name in %s", (spec, name) => assert.strictEqual(Npm.nameOf(spec), name))

it("prints a row a package and a closing line", () => {
  const result = { number: 3, name: "some", title: "a → b", ms: 1234 }
  const failed = { ...result, title: "c → d", reason: "it did not" }
  const all = [{ ...result, reason: undefined }, failed]
  assert.deepStrictEqual(all.map(Report.line), [
    "pass  3  a → b  (1.2 s)",
    "FAIL  3  c → d  (1.2 s)\n        it did not"
  ])
  assert.strictEqual(Report.summary(all), "#  package  passed  failed\n3  some     1       1")
  assert.strictEqual(Report.closing(all.map(({ reason }) => reason)), "1 passed, 1 failed")
})
