/** Whatever an extension writes to stdout arrives on stderr, and stdout has nothing but frames. */
import { assert } from "@effect/vitest"
import { type Pipes, play } from "../../support/extensions/Pipes.ts"

const ways = ["log", "info", "table", "write", "sync", "stream", "bun", "child", "later"]
const printer = { extensions: ["hostile/printer.ts"] }

const missing = ({ host }: Pipes, ...occasions: ReadonlyArray<string>) =>
  occasions
    .flatMap((occasion) => ways.map((way) => `${occasion}-${way}`))
    .filter((text) => !host.stderr().includes(text))

const isPure = ({ host }: Pipes) => {
  assert.deepStrictEqual(
    host.lines.filter((line) => !line.startsWith("{") || /"?(module|factory|command|shutdown|update)-/.test(line)),
    []
  )
}

play("from the first to the last moment of the process", printer, async (pipes) => {
  await Promise.all([pipes.prompt("COUNT 30"), pipes.prompt("/print")])
  assert.strictEqual(await pipes.end(), 0)
  assert.deepStrictEqual(missing(pipes, "module", "factory", "command", "shutdown"), [])
  assert.include(pipes.host.stderr(), "update-sync")
  // All of it; a line of the child that prints beside it may stand in its middle.
  assert.match(pipes.host.stderr().replaceAll(/shutdown-\w+\n/g, ""), /the last line, (long ){20000}end\n/)
  isPure(pipes)
})

play("also when a signal ends it", printer, async (pipes) => {
  await pipes.prompt("hello")
  assert.strictEqual((await pipes.signal("SIGTERM")).code, 143)
  assert.deepStrictEqual(missing(pipes, "module", "factory"), [])
  assert.include(pipes.host.stderr(), "shutdown-log")
  isPure(pipes)
})
