import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"

/** A process that takes stdin and stdout over, and is then full of code that prints and reads. */
const program = `
  import * as Effect from "effect/Effect"
  import * as StdoutGuard from ${JSON.stringify(join(import.meta.dirname, "../../../../src/layers/machine/stdio/StdoutGuard.ts"))}
  import { spawnSync } from "node:child_process"
  import { writeSync } from "node:fs"
  const { input, output } = Effect.runSync(StdoutGuard.acquire)
  console.log("console")
  process.stdout.write("process.stdout\\n")
  writeSync(1, "descriptor 1\\n")
  await Bun.write(Bun.stdout, "Bun.stdout\\n")
  await Bun.$\`echo child\`.quiet(false)
  spawnSync("cat", [], { stdio: "inherit" })
  process.stdin.on("data", (data) => console.log("stolen: " + data))
  const sink = Bun.file(output).writer()
  sink.write("frame of " + (await input.text()))
  await sink.flush()
  process.exit(0)
`

it("whatever prints and reads in the process, frames have stdin and stdout for themselves", () => {
  const { stderr, stdout } = spawnSync(process.execPath, ["-e", program], {
    cwd: join(import.meta.dirname, "../../../.."),
    encoding: "utf8",
    input: "the host\n"
  })
  assert.strictEqual(stdout, "frame of the host\n")
  assert.notInclude(stderr, "the host")
  for (const stray of ["console", "process.stdout", "descriptor 1", "Bun.stdout", "child"])
    assert.include(stderr, stray)
})
