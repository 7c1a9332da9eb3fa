/** Runs the tests of the Python client, python/tests, with the python3 of this machine. */
import { assert, describe, it } from "vitest"
import * as Python from "../support/host/Python.ts"

/** What Python says about something that was forgotten. */
const leaks = /ResourceWarning|was never (retrieved|awaited)|Task was destroyed|Exception ignored/

const why = "no python3 of version 3.9 or newer was found on this machine"
if (Python.program === undefined) console.warn(`The tests of the Python client are skipped: ${why}.`)
const name = "the Python client"
describe.skipIf(Python.program === undefined)(Python.program === undefined ? `${name} (skipped: ${why})` : name, () => {
  const classes = Python.testClasses()

  it("has tests", () => assert.isAbove(classes.length, 10))

  // They wait for processes and deadlines most of the time.
  it.concurrent.each(classes)("%s", { timeout: 120_000 }, async (testClass) => {
    const { code, said } = await Python.run(testClass)
    assert.strictEqual(code, 0, said)
    assert.match(said, /^Ran [1-9]\d* tests? in [\s\S]*\nOK\n$/m, said)
    assert.notMatch(said, leaks)
  })
})
