import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Fiber, Redacted, TestClock } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import * as ConfigValue from "../../../../src/layers/models/keys/ConfigValue.ts"
import * as LocalProcesses from "../../../../src/layers/machine/processes/LocalProcesses.ts"
import { Environment } from "../../../../src/layers/machine/processes/Environment.ts"
import * as EventLoop from "../../../../src/layers/machine/engine/EventLoop.ts"
import { environment, folder } from "../support.ts"

const where = "models.json: providers.p.apiKey"
const isPresent = (value: ConfigValue.ConfigValue) => Effect.map(Environment, value.isPresent)
const resolve = (text: string) =>
  Effect.map(ConfigValue.make(text, where, LocalProcesses.service).resolve, Redacted.value)

describe("a value is", () => {
  it.effect.each([
    ["sk-literal", "sk-literal"],
    ["MY_VARIABLE", "from the environment"],
    ["P_API_KEY", "key"],
    ["EMPTY", "EMPTY"],
    ["NOT_NEEDED", "NOT_NEEDED"],
    ["$MY_VARIABLE", "from the environment"],
    ["Bearer ${P_API_KEY}", "Bearer key"],
    ["$P_API_KEY-$MY_VARIABLE", "key-from the environment"],
    ["pa$$word $!", "pa$word !"],
    ["$!not a command", "!not a command"],
    ["pa$Word$1$", "pa$Word$1$"],
    ["!printf ' from a command \\n\\n'", "from a command"],
    ["!echo $((6*7))", "42"]
  ] as const)("%s → %s", ([text, value]) =>
    Effect.gen(function* () {
      assert.isTrue(yield* isPresent(ConfigValue.make(text, where, LocalProcesses.service)))
      assert.strictEqual(yield* resolve(text), value)
    }).pipe(environment({ MY_VARIABLE: "from the environment", P_API_KEY: "key" }))
  )
})

describe("a value that cannot be had says where it is written, never what it is", () => {
  it.effect.each([
    ["LAB_API_KEY", "names the variable LAB_API_KEY, which is not set"],
    ["HF_TOKEN", "names the variable HF_TOKEN, which is not set"],
    ["sk-secret $LAB", "names the variable LAB, which is not set"],
    ["${HF_TOKEN}", "names the variable HF_TOKEN, which is not set"],
    ["!echo sk-secret; exit 3", "the command ended with exit code 3"],
    ["!true", "the command printed nothing"],
    ["!heddle-no-such-program sk-secret", "the command ended with exit code 127"]
  ] as const)("%s", ([text, reason]) =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(resolve(text))
      assert.strictEqual(message, `${where}: ${reason}`)
    }).pipe(environment({ HF_TOKEN: "" }))
  )

  it.effect("and counts as absent when its variable is", () =>
    Effect.gen(function* () {
      assert.isFalse(yield* isPresent(ConfigValue.make("LAB_API_KEY", where, LocalProcesses.service)))
      assert.isFalse(yield* isPresent(ConfigValue.make("a $LAB", where, LocalProcesses.service)))
    }).pipe(environment({}))
  )

  it.effect("but one that stands for itself is there, whatever it looks like", () =>
    Effect.gen(function* () {
      const value = ConfigValue.literal(Redacted.make("!LAB_API_KEY"), where)
      assert.deepStrictEqual(
        [yield* isPresent(value), Redacted.value(yield* value.resolve), yield* Effect.map(Environment, value.known)],
        [true, "!LAB_API_KEY", Redacted.make("!LAB_API_KEY")]
      )
    }).pipe(environment({}))
  )
})

const counting = Effect.map(folder, (path) => ({
  command: `!echo run >> ${join(path, "runs")}; test -e ${join(path, "ok")} && echo key`,
  allow: Effect.promise(() => Bun.write(join(path, "ok"), "")),
  runs: Effect.promise(() =>
    readFile(join(path, "runs"), "utf8").then(
      (text) => text.split("\n").length - 1,
      () => 0
    )
  )
}))

describe("a command", () => {
  it.scopedLive("runs at first use, once for all who ask, and again only after a failure", () =>
    Effect.gen(function* () {
      const { allow, command, runs } = yield* counting
      const value = ConfigValue.make(command, where, LocalProcesses.service)
      assert.isTrue(yield* isPresent(value))
      assert.strictEqual(yield* runs, 0)
      assert.isTrue(Either.isLeft(yield* Effect.either(value.resolve)))
      yield* allow
      const keys = yield* Effect.all([value.resolve, value.resolve, value.resolve], { concurrency: "unbounded" })
      assert.deepStrictEqual(keys.map(Redacted.value), ["key", "key", "key"])
      assert.strictEqual(yield* runs, 2)
    })
  )

  it.scoped("is ended with its children after 10 s", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "pid")
      const fiber = yield* Effect.fork(resolve(`!sleep 1000 & echo $! > ${path}; wait`))
      const pid = yield* Effect.promise(() => readFile(path, "utf8")).pipe(
        Effect.orElseSucceed(() => ""),
        Effect.catchAllDefect(() => Effect.succeed("")),
        Effect.tap(EventLoop.nextTurn),
        Effect.repeat({ until: (text) => text.endsWith("\n") })
      )
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Effect.flip(Fiber.join(fiber))).message, `${where}: the command took more than 10 s`)
      // Gone, or a corpse that nobody in this container reaps.
      yield* Effect.promise(() => readFile(`/proc/${pid.trim()}/stat`, "utf8").catch(() => "gone")).pipe(
        Effect.tap(EventLoop.nextTurn),
        Effect.repeat({ until: (state) => /gone|\) Z /.test(state) })
      )
    })
  )
})
