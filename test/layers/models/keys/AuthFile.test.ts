import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Redacted } from "effect"
import { lstat, mkdir, readdir, readFile, rm, stat, symlink } from "node:fs/promises"
import * as AuthFile from "../../../../src/layers/models/keys/AuthFile.ts"
import { local } from "../../../../src/layers/machine/files/own/OwnFiles.ts"
import { folder, withLog, write } from "../support.ts"

const key = Redacted.make("sk-secret")
const read = (path: string) => Effect.promise(() => readFile(path, "utf8").then((text): unknown => JSON.parse(text)))
const path = Effect.map(folder, (agentDir) => AuthFile.pathIn(`${agentDir}/deep/er`))
const plain = (keys: AuthFile.Keys) =>
  Object.fromEntries(
    [...keys].map(([provider, { expiresAt, key }]) => [provider, `${Redacted.value(key)}${expiresAt ?? ""}`])
  )

describe("writing", () => {
  it.scoped("creates the file for its owner only, leaves nothing else behind, and keeps other entries", () =>
    Effect.gen(function* () {
      const file = yield* path
      yield* AuthFile.set(file, "anthropic", key)
      const other = { oauth: { type: "oauth", refresh: "r" }, anthropic: { type: "api_key", key: "old" } }
      yield* write(file, other, 0o644)
      yield* AuthFile.set(file, "anthropic", key)
      assert.deepStrictEqual(yield* read(file), { ...other, anthropic: { type: "api_key", key: "sk-secret" } })
      assert.strictEqual((yield* Effect.promise(() => stat(file))).mode & 0o777, 0o600)
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(file.replace("/auth.json", ""))), ["auth.json"])
      assert.isTrue(yield* AuthFile.remove(file, "anthropic"))
      assert.isFalse(yield* AuthFile.remove(file, "anthropic"))
      assert.deepStrictEqual(yield* read(file), { oauth: other.oauth })
    })
  )

  it.scoped("through a link replaces the file that the link leads to, also one that is not there yet", () =>
    Effect.gen(function* () {
      const [agentDir, vault] = [yield* folder, yield* folder]
      const [link, target] = [AuthFile.pathIn(agentDir), `${vault}/keys.json`]
      yield* write(target, { openai: { type: "api_key", key: "old" } }, 0o644)
      yield* Effect.promise(() => symlink(`${vault}/middle`, link))
      yield* Effect.promise(() => symlink("keys.json", `${vault}/middle`))
      const stored = { anthropic: { type: "api_key", key: "sk-secret" } }
      yield* AuthFile.set(link, "anthropic", key)
      assert.deepStrictEqual(yield* read(target), { openai: { type: "api_key", key: "old" }, ...stored })
      assert.strictEqual((yield* Effect.promise(() => stat(target))).mode & 0o777, 0o600)
      yield* Effect.promise(() => rm(target))
      yield* AuthFile.set(link, "anthropic", key)
      assert.deepStrictEqual(yield* read(target), stored)
      assert.isTrue((yield* Effect.promise(() => lstat(link))).isSymbolicLink())
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(vault)), ["keys.json", "middle"])
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(agentDir)), ["auth.json"])
    })
  )

  it.scoped("never replaces a FIFO, and does not wait for one", () =>
    Effect.gen(function* () {
      const agentDir = yield* folder
      yield* Effect.promise(() => Bun.spawn(["mkfifo", `${agentDir}/pipe`]).exited)
      yield* Effect.promise(() => symlink("pipe", AuthFile.pathIn(agentDir)))
      const { reason } = yield* Effect.flip(AuthFile.set(AuthFile.pathIn(agentDir), "anthropic", key))
      assert.strictEqual(reason, "is a FIFO, not a file")
      const refused = yield* Effect.flip(local.replace(`${agentDir}/auth.json`, "{}"))
      assert.strictEqual(refused.message, "a FIFO, not a file")
      assert.isTrue((yield* Effect.promise(() => stat(`${agentDir}/pipe`))).isFIFO())
    })
  )

  it.scoped.each(["{ sk-secret", "[]", '"sk-secret"'])("never replaces what it does not understand: %s", (text) =>
    Effect.gen(function* () {
      const file = yield* path
      yield* write(file, text)
      for (const attempt of [AuthFile.set(file, "anthropic", key), AuthFile.remove(file, "anthropic")]) {
        const failure = yield* Effect.flip(attempt)
        assert.strictEqual(failure.message, `${file}: is not a JSON object of keys by provider`)
      }
      assert.strictEqual(yield* Effect.promise(() => readFile(file, "utf8")), text)
    })
  )

  it.scoped("says which file could not be written", () =>
    Effect.gen(function* () {
      const agentDir = yield* folder
      yield* write(`${agentDir}/file`, "")
      const failure = yield* Effect.flip(AuthFile.set(`${agentDir}/file/auth.json`, "anthropic", key))
      assert.match(failure.message, /file\/auth\.json: cannot be written \(E\w+\)$/)
    })
  )
})

describe("reading", () => {
  it.scoped("sees every change, and only keys", () =>
    Effect.gen(function* () {
      const file = yield* path
      const keys = Effect.map(yield* AuthFile.watch(file), plain)
      assert.deepStrictEqual(yield* keys, {})
      yield* write(file, {
        a: { type: "api_key", key: "1" },
        b: { type: "oauth", key: "2" },
        c: "3",
        d: { type: "api_key" },
        e: { type: "oauth", access: "token ", refresh: "r", expires: 5 }
      })
      assert.deepStrictEqual(yield* keys, { a: "1", e: "token 5" })
      yield* AuthFile.set(file, "a", Redacted.make("2"))
      assert.deepStrictEqual(yield* keys, { a: "2", e: "token 5" })
      yield* AuthFile.remove(file, "a")
      assert.deepStrictEqual(yield* keys, { e: "token 5" })
    })
  )

  it.scoped("says once what is wrong with the file, without a word of it", () =>
    Effect.gen(function* () {
      const file = yield* path
      const keys = yield* AuthFile.watch(file)
      yield* write(file, "{ sk-secret", 0o644)
      const { log } = yield* withLog(Effect.all([keys, keys, keys]))
      assert.deepStrictEqual(log, [
        `${file} can be read by others (mode 0644); run: chmod 600 ${file}`,
        `ignored keys: ${file}: is not a JSON object of keys by provider`
      ])
      yield* write(file, { a: { type: "api_key", key: "1" } }, 0o600)
      const fixed = yield* withLog(keys)
      assert.deepStrictEqual([plain(fixed.value), fixed.log], [{ a: "1" }, []])
    })
  )

  it.scoped("takes a folder of that name for a problem, not for the end", () =>
    Effect.gen(function* () {
      const file = yield* path
      yield* Effect.promise(() => mkdir(file, { recursive: true, mode: 0o700 }))
      const { log } = yield* withLog(yield* AuthFile.watch(file))
      assert.deepStrictEqual(log, [`ignored keys: ${file}: is a folder, not a file`])
      assert.isTrue(Either.isLeft(yield* Effect.either(AuthFile.set(file, "a", key))))
    })
  )
})
