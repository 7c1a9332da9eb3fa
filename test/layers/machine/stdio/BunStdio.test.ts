import { spawn, spawnSync } from "node:child_process"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"

const root = join(import.meta.dirname, "../../../..")

/** A process that opens the transport, runs `body` in its scope, and ends when nothing is left to do. */
const program = (body: string) => `
  import { Context, Effect, Layer } from "effect"
  import * as BunStdio from ${JSON.stringify(join(root, "src/layers/machine/stdio/BunStdio.ts"))}
  import * as EventLoop from ${JSON.stringify(join(root, "src/layers/machine/engine/EventLoop.ts"))}
  import { Transport } from ${JSON.stringify(join(root, "src/services/host/Transport.ts"))}
  await Effect.runPromise(Effect.scoped(Effect.gen(function* () {
    const { input, write } = Context.get(yield* Layer.build(BunStdio.layer), Transport)
    ${body}
  })))
`

it("reads a few chunks ahead, waits for the server, and loses nothing", () => {
  const late = program(`
    const sizes = []
    const look = Effect.zipRight(EventLoop.nextTurn, input.size)
    yield* Effect.repeat(look, { until: (size) => size._tag === "Some" && size.value >= 16 })
    for (let i = 0; i < 100; i++) sizes.push((yield* look).value)
    let total = 0
    for (let done = false; !done;) {
      const [chunks, isLast] = yield* input.takeAll
      for (const chunk of chunks) total += chunk.length
      done = isLast
    }
    yield* write(JSON.stringify({ most: Math.max(...sizes), total }))
  `)
  const { stdout } = spawnSync(process.execPath, ["-e", late], {
    cwd: root,
    encoding: "utf8",
    input: Buffer.alloc(16 * 1024 * 1024, "x")
  })
  assert.deepStrictEqual(JSON.parse(stdout), { most: 16, total: 16 * 1024 * 1024 })
})

it("stops reading when its scope closes, also while the host keeps its side open", async () => {
  const early = program(`
    yield* input.takeAll
    yield* write("taken")
  `)
  const child = spawn(process.execPath, ["-e", early], { cwd: root, stdio: ["pipe", "pipe", "ignore"] })
  let said = ""
  child.stdout.on("data", (chunk) => (said += chunk))
  child.stdin.write("x\n")
  const code = await new Promise((resolve) => child.on("close", resolve))
  assert.deepStrictEqual([code, said], [0, "taken"])
})
