import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { rejected } from "../../../support/extensions/Loaded.ts"
import * as Loaded from "../../../support/extensions/Loaded.ts"

const inRoot = { ports: () => ({ cwd: "/" }) }
const shell = (script: string): readonly [string, Array<string>] => ["sh", ["-c", script]]

it.scopedLive("gives stdout, stderr and the code, in the session's folder or another one", () =>
  Effect.gen(function* () {
    const { pi } = yield* Loaded.make(inRoot)
    const exec = (script: string, options?: object) => Effect.promise(() => pi.exec(...shell(script), options))
    const rest = { killed: false, truncated: false }
    assert.deepStrictEqual(yield* exec("pwd; echo oops >&2; exit 3"), {
      stdout: "/\n",
      stderr: "oops\n",
      code: 3,
      ...rest
    })
    assert.deepStrictEqual(yield* exec("pwd", { cwd: "/usr" }), { stdout: "/usr\n", stderr: "", code: 0, ...rest })
  })
)

it.scopedLive("a timeout, a signal and too much output end the program, and what it wrote is kept", () =>
  Effect.gen(function* () {
    const { pi } = yield* Loaded.make(inRoot)
    const exec = (script: string, options: object) => Effect.promise(() => pi.exec(...shell(script), options))
    const killed = { stderr: "", code: 143, killed: true, truncated: false }
    assert.deepStrictEqual(yield* exec("echo started; exec sleep 60", { timeout: 300 }), {
      stdout: "started\n",
      ...killed
    })
    assert.deepStrictEqual(yield* exec("sleep 60", { signal: AbortSignal.abort() }), { stdout: "", ...killed })
    const long = yield* exec("yes", { maxBuffer: 10 })
    assert.deepStrictEqual(long, { ...killed, stdout: "y\ny\ny\ny\ny\n", truncated: true })
  })
)

it.scopedLive("a program that is not there is a result, and a session that ends takes programs with it", () =>
  Effect.gen(function* () {
    const { close, pi } = yield* Loaded.make(inRoot)
    const { code, killed, stderr } = yield* Effect.promise(() => pi.exec("no-such-program-of-heddle"))
    assert.deepStrictEqual([code, killed], [1, false])
    assert.match(stderr, /no-such-program-of-heddle/)
    const running = pi.exec("sleep", ["60"])
    yield* close
    assert.match(yield* rejected(running), /stale/)
  })
)
