import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"

/** A process that takes stdout over and is then full of code that prints. */
const program = `
  import * as Effect from "effect/Effect"
  import * as StdoutGuard from ${JSON.stringify(join(import.meta.dirname, "../../../../src/layers/platform/stdio/StdoutGuard.ts"))}
  import { writeSync } from "node:fs"
  const frames = Effect.runSync(StdoutGuard.acquire)
  console.log("console")
  process.stdout.write("process.stdout\\n")
  writeSync(1, "descriptor 1\\n")
  await Bun.write(Bun.stdout, "Bun.stdout\\n")
  await Bun.$\`echo child\`.quiet(false)
  const sink = Bun.file(frames).writer()
  sink.write("frame\\n")
  await sink.flush()
  process.exit(0)
`

it("whatever prints in the process, only frames reach stdout", () => {
  const { stderr, stdout } = spawnSync(process.execPath, ["-e", program], {
    cwd: join(import.meta.dirname, "../../../.."),
    encoding: "utf8"
  })
  assert.strictEqual(stdout, "frame\n")
  for (const stray of ["console", "process.stdout", "descriptor 1", "Bun.stdout", "child"])
    assert.include(stderr, stray)
})
