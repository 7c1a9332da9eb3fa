/** The same tests on the real node, on which programs embed heddle. */
import { spawn } from "node:child_process"
import { join, resolve } from "node:path"
import { assert, it } from "@effect/vitest"
import { node } from "../../../support/host/RealNode.ts"

const repo = resolve(import.meta.dirname, "../../../..")
const files = [
  "machine/processes/LocalProcesses",
  "machine/processes/ProcessTree",
  "tools/shell/LocalShell",
  "tools/shell/Bash"
]

const run = (program: string) =>
  new Promise<string>((settle, fail) => {
    const config = ["--config", "test/support/node/vitest.config.ts", "--reporter=json"]
    const tests = files.map((file) => `test/layers/${file}.test.ts`)
    const child = spawn(program, [join(repo, "node_modules/vitest/vitest.mjs"), "run", ...config, ...tests], {
      cwd: repo,
      stdio: ["ignore", "pipe", "inherit"]
    })
    let said = ""
    child.stdout.on("data", (chunk) => (said += String(chunk)))
    child.once("error", fail)
    child.once("close", () => settle(said))
  })

interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly message: string
    readonly assertionResults: ReadonlyArray<{ readonly fullName: string; readonly status: string }>
  }>
}

it.skipIf(node === undefined)("hold on Node, too", { timeout: 120_000 }, async () => {
  const { testResults }: Report = JSON.parse(await run(node ?? ""))
  const results = testResults.flatMap(({ assertionResults, message }) => [
    ...assertionResults.map(({ fullName, status }) => `${status}: ${fullName}`),
    ...(message === "" ? [] : [message])
  ])
  assert.deepStrictEqual(
    results.filter((result) => !result.startsWith("passed: ")),
    []
  )
  assert.strictEqual(testResults.length, files.length)
  assert.isAbove(results.length, 60)
})
